package dev.rota.daemon.internal.rotation;

import dev.rota.daemon.internal.leader.DaemonConfig;
import dev.rota.daemon.internal.leader.LeaderSession;
import dev.rota.daemon.internal.leader.TenantCatalog;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.maintenance.Backoff;
import dev.rota.internal.maintenance.MaintenanceTask;
import dev.rota.internal.schema.DiscoverySql;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jooq.Name;

/**
 * Surveys all rings with two statements, and passes their status to the rotation and the segment
 * roller. Used by one thread.
 */
public final class RingSurvey implements MaintenanceTask {

  private static final Sql SURVEY_TENANTS = Sql.named("survey_tenants");

  private final LeaderSession leader;
  private final RegistryTables tables;
  private final TenantCatalog catalog;
  private final DaemonConfig settings;
  private final List<Consumer<List<RingStatus>>> readers;
  private final TableSizes sizes;
  private final Map<Integer, OpenSegment> segments = new HashMap<>();

  private record OpenSegment(TenantCatalog.Entry entry, int seq, long table) {}

  private record Row(
      TenantCatalog.Entry entry, int slot, int segment, Times times, long segmentBytes) {}

  private record Times(
      long period, long ofRotation, long ofSegment, boolean aged, boolean overdue) {}

  public RingSurvey(
      LeaderSession leader,
      RegistryTables tables,
      TenantCatalog catalog,
      DaemonConfig settings,
      List<Consumer<List<RingStatus>>> readers) {
    this.leader = leader;
    this.tables = tables;
    this.catalog = catalog;
    this.settings = settings;
    this.readers = readers;
    this.sizes = new TableSizes(leader);
  }

  @Override
  public String name() {
    return "look for due rotations";
  }

  @Override
  public Duration run() throws SQLException {
    long startedAt = System.nanoTime();
    try {
      List<RingStatus> statuses = survey();
      readers.forEach(reader -> reader.accept(statuses));
    } catch (SQLException e) {
      // Another session just locked a table; the next survey leaves it out.
      if (!SqlErrors.isLockConflict(e)) {
        throw e;
      }
    }
    return Backoff.betweenLooks(interval(), startedAt);
  }

  private Duration interval() {
    return Backoff.part(
        settings.rotation().period(), 10, Duration.ofMillis(100), Duration.ofSeconds(10));
  }

  private List<RingStatus> survey() throws SQLException {
    List<Optional<Row>> rows = leader.transaction(name(), session -> session.run(tenants()));
    List<Row> known = rows.stream().flatMap(Optional::stream).toList();
    lookUpSegments(known);
    Map<Long, Long> bytes = sizes.read(tablesOf(known));
    List<RingStatus> statuses = new ArrayList<>(known.size());
    known.forEach(row -> statuses.add(standing(row, bytes)));
    return statuses;
  }

  private BoundStatement<List<Optional<Row>>> tenants() {
    return BoundStatement.query(
        SURVEY_TENANTS.call(),
        SURVEY_TENANTS.on("tenants", tables.tenants(), "segments", tables.segments()),
        this::read,
        settings.rotation().period().toMillis(),
        settings.segments().age().toMillis(),
        settings.segments().bytes());
  }

  /** Reads a row. A ring that is not in the catalog yet is read next time. */
  private Optional<Row> read(ResultSet row) throws SQLException {
    TenantCatalog.Entry entry = catalog.find(row.getInt(1));
    if (entry == null || row.getInt(2) >= entry.slots().size()) {
      return Optional.empty();
    }
    Times times =
        new Times(
            row.getLong(4), row.getLong(5), row.getLong(6), row.getBoolean(7), row.getBoolean(8));
    return Optional.of(new Row(entry, row.getInt(2), row.getInt(3), times, row.getLong(9)));
  }

  /**
   * Looks up segments. They come and go, so each is looked up when it is seen first, and again with
   * its tenant's other tables.
   */
  private void lookUpSegments(List<Row> rows) throws SQLException {
    List<Row> unknown = rows.stream().filter(row -> !isKnown(row)).toList();
    if (unknown.isEmpty()) {
      return;
    }
    List<Name> names =
        unknown.stream().map(row -> row.entry().tenant().tables().segment(row.segment())).toList();
    List<Long> found =
        leader.transaction("look up segments", session -> DiscoverySql.oids(session, names));
    for (int i = 0; i < unknown.size(); i++) {
      Row row = unknown.get(i);
      segments.put(row.entry().number(), new OpenSegment(row.entry(), row.segment(), found.get(i)));
    }
  }

  private boolean isKnown(Row row) {
    OpenSegment known = segments.get(row.entry().number());
    return known != null
        && known.entry().equals(row.entry())
        && known.seq() == row.segment()
        && known.table() != 0;
  }

  private long[] tablesOf(List<Row> rows) {
    Stream<Row> all = rows.stream();
    return all.flatMapToLong(row -> LongStream.of(slotOf(row), segmentOf(row))).toArray();
  }

  private static long slotOf(Row row) {
    return row.entry().slots().get(row.slot());
  }

  private long segmentOf(Row row) {
    OpenSegment segment = segments.get(row.entry().number());
    return segment == null ? 0 : segment.table();
  }

  private RingStatus standing(Row row, Map<Long, Long> sizes) {
    Times times = row.times();
    long bytes = sizes.getOrDefault(segmentOf(row), 0L);
    return new RingStatus(
        row.entry(),
        times.period(),
        new RingStatus.Ring(
            row.slot(), sizes.getOrDefault(slotOf(row), 0L), times.period() > times.ofRotation()),
        new RingStatus.Segment(
            row.segment(),
            bytes,
            times.period() > times.ofSegment(),
            times.aged() || bytes >= row.segmentBytes(),
            times.overdue()));
  }
}
