package dev.rota.daemon.internal.retention;

import dev.rota.daemon.internal.leader.DaemonConfig;
import dev.rota.daemon.internal.leader.LeaderSession;
import dev.rota.daemon.internal.leader.TenantCatalog;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.maintenance.Backoff;
import dev.rota.internal.maintenance.FailureTracker;
import dev.rota.internal.maintenance.MaintenanceTask;
import dev.rota.internal.schema.RegistryCalls;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.schema.RoleSql;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.TenantRef;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jooq.Name;

/**
 * Makes the indexes of large segments of history once no batch in them is open: claims never pay
 * for them. Small segments get none, since a scan of them takes some milliseconds, and two more
 * relations for each segment of each tenant would burden the catalog. Used by one thread.
 */
public final class SegmentIndexer implements MaintenanceTask {

  private static final Sql FIND_SEGMENTS_TO_INDEX = Sql.named("find_segments_to_index");
  private static final Sql READ_BLOCKS_OF_TABLES = Sql.named("read_blocks_of_tables");
  private static final Sql NOTE_INDEXED_SEGMENTS = Sql.named("note_indexed_segments");
  private static final Sql INDEX_IDS_OF_SEGMENT = Sql.named("index_ids_of_segment");
  private static final Sql ANALYZE_IDS_OF_SEGMENT = Sql.named("analyze_ids_of_segment");
  private static final Sql INDEX_EXCEPTIONS_OF_SEGMENT = Sql.named("index_exceptions_of_segment");

  /** Sixteen megabytes, of some 120,000 attempts. */
  private static final long LEAST_BLOCKS = 2_048;

  private final LeaderSession leader;
  private final RegistryTables rota;
  private final RegistryCalls calls;
  private final TenantCatalog catalog;
  private final DaemonConfig.Pace pace;
  private final FailureTracker<Integer> failures = new FailureTracker<>("index a segment of");
  private final Deque<Segment> due = new ArrayDeque<>();

  private record Segment(TenantRef tenant, int seq) {

    Name table() {
      return tenant.tables().segment(seq);
    }
  }

  public SegmentIndexer(
      LeaderSession leader, RegistryTables rota, TenantCatalog catalog, DaemonConfig settings) {
    this.leader = leader;
    this.rota = rota;
    this.calls = new RegistryCalls(rota);
    this.catalog = catalog;
    this.pace = settings.pace();
  }

  @Override
  public String name() {
    return "index segments of history";
  }

  @Override
  public Duration run() throws SQLException {
    long startedAt = System.nanoTime();
    if (due.isEmpty()) {
      List<Segment> found = leader.transaction(name(), this::find);
      leader.transaction(name(), session -> sort(session, found));
      return found.isEmpty()
          ? Backoff.betweenLooks(Duration.ofSeconds(10), startedAt)
          : Backoff.afterWork(startedAt, pace.workShare());
    }
    Segment next = due.removeFirst();
    boolean unused =
        failures.attempt(
            next.tenant.number(),
            next.tenant.label(),
            () ->
                leader.lengthyTransaction(
                    "index a segment of " + next.tenant.label(), session -> index(session, next)));
    return Backoff.afterWork(startedAt, pace.workShare());
  }

  private List<Segment> find(Session session) throws SQLException {
    int[] avoided = failures.avoided().stream().mapToInt(Integer::intValue).toArray();
    List<Segment> found = new ArrayList<>();
    session.run(
        calls.query(
            FIND_SEGMENTS_TO_INDEX,
            row -> {
              TenantCatalog.Entry entry = catalog.find(row.getInt(1));
              return entry == null || found.add(new Segment(entry.tenant(), row.getInt(2)));
            },
            (Object) avoided));
    return found;
  }

  /** Notes small segments, and keeps the others for the next steps. */
  private boolean sort(Session session, List<Segment> found) throws SQLException {
    String[] names = found.stream().map(each -> Sql.render(each.table())).toArray(String[]::new);
    List<Long> blocks =
        session.run(
            BoundStatement.query(READ_BLOCKS_OF_TABLES, row -> row.getLong(1), (Object) names));
    List<Segment> small = new ArrayList<>();
    for (int i = 0; i < found.size(); i++) {
      (blocks.get(i) < LEAST_BLOCKS ? small : due).add(found.get(i));
    }
    return note(session, small) == small.size();
  }

  private boolean index(Session session, Segment segment) throws SQLException {
    boolean isDue = note(session, List.of(segment)) == 1;
    if (isDue) {
      session.run(RoleSql.actAsKeeper(rota));
      session.run(statement(INDEX_IDS_OF_SEGMENT, segment));
      session.run(statement(ANALYZE_IDS_OF_SEGMENT, segment));
      session.run(statement(INDEX_EXCEPTIONS_OF_SEGMENT, segment));
    }
    return isDue;
  }

  private int note(Session session, List<Segment> segments) throws SQLException {
    return session.run(
        calls.update(
            NOTE_INDEXED_SEGMENTS,
            segments.stream().mapToInt(each -> each.tenant.number()).toArray(),
            segments.stream().mapToInt(Segment::seq).toArray()));
  }

  private static BoundStatement<Integer> statement(Sql template, Segment segment) {
    return BoundStatement.update(template.call(), template.on("segment", segment.table()));
  }
}
