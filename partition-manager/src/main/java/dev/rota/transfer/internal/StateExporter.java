package dev.rota.transfer.internal;

import dev.rota.archive.internal.DefaultArchive;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.sql.TenantTables;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.internal.tenant.TenantRef.PriorityLanes;
import dev.rota.transfer.TransferException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jooq.Name;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/** Writes the data of a tenant in the database, as of one snapshot. Used once. */
final class StateExporter {

  private static final Sql READ_TENANT = Sql.named("read_tenant");
  private static final Sql READ_TENANT_LIMITS = Sql.named("read_tenant_limits");
  private static final Sql COUNT_REQUESTS = Sql.named("count_requests");

  private static final long DEFAULT_MEMORY = 256L << 20;

  private final RegistryTables rota;
  private final @Nullable DefaultArchive archive;
  private final ExportFolder folder;
  private final TenantRef tenant;
  private final long memory;

  StateExporter(
      RegistryTables rota,
      @Nullable DefaultArchive archive,
      ExportFolder folder,
      TenantRef tenant) {
    this.rota = rota;
    this.archive = archive;
    this.folder = folder;
    this.tenant = tenant;
    this.memory = archive == null ? DEFAULT_MEMORY : archive.memory();
  }

  /**
   * The facts that were found beside the rows.
   *
   * @param export the identity of this export
   * @param tenant the registry's entry
   * @param archived the files of segments that are only in the archive, as rows of {@link
   *     TableLayout#ARCHIVE}
   */
  record State(
      String export, ExportManifest.TenantFacts tenant, List<@Nullable Object[]> archived) {}

  /** The slots into which producers write in each lane, with the registry's entry. */
  private record Facts(
      String export, ExportManifest.TenantFacts tenant, List<Integer> currentSlots) {}

  State read(Session session, Snapshots.Beginning beginning, Map<String, Long> rows)
      throws SQLException {
    try {
      Facts facts = facts(session);
      Snapshot snapshot = new Snapshot(session);
      List<@Nullable Object[]> archived = archived(snapshot);
      try (LaneFiles rings = new LaneFiles(folder, memory)) {
        readRings(snapshot, beginning, rings, facts.currentSlots());
        readHistory(snapshot, beginning, rings, archived, facts, rows);
        rings.write(rows);
      }
      readTables(snapshot, beginning, rows);
      writeLimits(session, rows);
      count(rows, "cancel-requests", requests(session, beginning));
      return new State(facts.export(), facts.tenant(), archived);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reads the rings; a parked tenant has none. */
  private void readRings(
      Snapshot snapshot, Snapshots.Beginning beginning, LaneFiles rings, List<Integer> currentSlots)
      throws SQLException, IOException {
    for (int lane = 0; lane < currentSlots.size(); lane++) {
      RowFile file = rings.of(lane);
      int next = PriorityLanes.after(currentSlots.get(lane));
      for (int slot : List.of(next, PriorityLanes.after(next), currentSlots.get(lane))) {
        Name table = tenant.tables().slot(slot);
        if (beginning.has(table)) {
          snapshot.read(table, TableLayout.RING, file::append);
        }
      }
    }
  }

  /** Writes the segments of the database; dropped ones are archived, or gone. */
  private void readHistory(
      Snapshot snapshot,
      Snapshots.Beginning beginning,
      LaneFiles rings,
      List<@Nullable Object[]> archived,
      Facts facts,
      Map<String, Long> rows)
      throws SQLException, IOException {
    HistoryFiles history =
        new HistoryFiles(
            rota,
            archive,
            folder,
            new HistoryFiles.Moment(
                tenant, beginning.open(), facts.tenant().marks().exportedAt(), memory));
    Map<Long, @Nullable Object[]> older = new LinkedHashMap<>();
    archived.forEach(row -> older.put((Long) row[0], row));
    List<Long> hot = new ArrayList<>();
    write(
        TableLayout.SEGMENTS,
        file ->
            snapshot.readOfTenant(
                rota.segments(),
                TableLayout.SEGMENTS,
                tenant.number(),
                "order by h.seq",
                row -> {
                  file.append(row);
                  if (row.getObject(4) == null) {
                    hot.add(row.getLong(1));
                  }
                }),
        rows);
    for (long seq : hot) {
      history.write(snapshot, (int) seq, older.remove(seq), rings);
    }
    archived.retainAll(older.values());
    count(rows, "history", history.rows());
  }

  private void readTables(Snapshot snapshot, Snapshots.Beginning beginning, Map<String, Long> rows)
      throws SQLException, IOException {
    TenantTables own = tenant.tables();
    for (Map.Entry<TableLayout, Name> each : TableLayout.of(own).entrySet()) {
      if (beginning.has(each.getValue())) {
        TableLayout table = each.getKey();
        write(table, file -> snapshot.read(each.getValue(), table, file::append), rows);
      }
    }
    if (beginning.has(own.free())) {
      write(TableLayout.KNOWN, file -> readMembers(snapshot, file), rows);
    }
    writeOfTenant(snapshot, TableLayout.POOLS, rota.assignmentPools(), rows);
    writeOfTenant(snapshot, TableLayout.SCHEDULES, rota.schedules(), rows);
    writeOfTenant(snapshot, TableLayout.STATISTICS, rota.statistics(), rows);
  }

  /** Writes the plan and the rules of the tenant, if it has any. */
  private void writeLimits(Session session, Map<String, Long> rows)
      throws SQLException, IOException {
    try (RowFile file = RowFile.open(TableLayout.LIMITS, folder.work(), memory)) {
      readLimits(session, file);
      if (file.rows() > 0) {
        folder.write(TableLayout.LIMITS.file(), file.rows(), file::write);
        count(rows, TableLayout.LIMITS.name(), file.rows());
      }
    }
  }

  private void readLimits(Session session, RowFile file) throws SQLException {
    List<Boolean> unused =
        session.run(
            BoundStatement.query(
                READ_TENANT_LIMITS.call(),
                READ_TENANT_LIMITS.on("tenants", rota.tenants(), "rules", rota.rules()),
                row -> {
                  file.append(row);
                  return true;
                },
                tenant.number()));
  }

  /**
   * Reads the members of pools. Assigned ones are free in the copy, where no process holds the
   * assignment.
   */
  private void readMembers(Snapshot snapshot, RowFile file) throws SQLException {
    snapshot.read(tenant.tables().free(), TableLayout.KNOWN, file::append);
    snapshot.read(
        tenant.tables().assignments(),
        "h.returns, h.pool::bigint",
        TableLayout.KNOWN.size(),
        row -> {
          if (row.getObject(1) != null) {
            file.append(row);
          }
        });
  }

  private void writeOfTenant(
      Snapshot snapshot, TableLayout table, Name from, Map<String, Long> rows)
      throws SQLException, IOException {
    write(
        table, file -> snapshot.readOfTenant(from, table, tenant.number(), "", file::append), rows);
  }

  /** Fills a file. */
  private interface Filling {
    void fill(RowFile file) throws SQLException;
  }

  private void write(TableLayout table, Filling filling, Map<String, Long> rows)
      throws SQLException, IOException {
    try (RowFile file = RowFile.open(table, folder.work(), memory)) {
      filling.fill(file);
      folder.write(table.file(), file.rows(), file::write);
      count(rows, table.name(), file.rows());
    }
  }

  static void count(Map<String, Long> rows, String what, long count) {
    if (count > 0) {
      rows.merge(what, count, Long::sum);
    }
  }

  private List<@Nullable Object[]> archived(Snapshot snapshot) throws SQLException {
    List<@Nullable Object[]> archived = new ArrayList<>();
    snapshot.readOfTenant(
        rota.archive(),
        TableLayout.ARCHIVE,
        tenant.number(),
        "and h.archived_at is not null and h.expired_at is null order by h.seq",
        row -> archived.add(values(row)));
    return archived;
  }

  private static @Nullable Object[] values(ResultSet row) throws SQLException {
    List<Column> columns = TableLayout.ARCHIVE.columns();
    @Nullable Object[] values = new @Nullable Object[columns.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = columns.get(i).isText() ? row.getString(i + 1) : RowFile.number(row, i + 1);
    }
    return values;
  }

  private long requests(Session session, Snapshots.Beginning beginning) throws SQLException {
    return session
        .run(
            BoundStatement.query(
                COUNT_REQUESTS.call(),
                COUNT_REQUESTS.on("requests", rota.cancelRequests()),
                row -> row.getLong(1),
                tenant.number(),
                beginning.open().toArray(Long[]::new)))
        .get(0);
  }

  private Facts facts(Session session) throws SQLException {
    List<Facts> found =
        session.run(
            BoundStatement.query(
                READ_TENANT.call(),
                READ_TENANT.on(
                    Map.of(
                        "tenants", rota.tenants(),
                        "task_ids", DSL.inline(rota.sequence("task_id")))),
                this::facts,
                tenant.number()));
    if (found.isEmpty()) {
      throw new TransferException(tenant.label() + " is no longer in the registry");
    }
    return found.get(0);
  }

  private Facts facts(ResultSet row) throws SQLException {
    if (row.getBoolean(3)) {
      throw new TransferException(
          tenant.label() + " is being imported; export it when the import has ended");
    }
    return new Facts(
        row.getString(1),
        new ExportManifest.TenantFacts(
            tenant.number(),
            tenant.state().name(),
            row.getBoolean(2),
            ofLanes(row.getArray(5)),
            marks(row)),
        ofLanes(row.getArray(6)));
  }

  private static List<Integer> ofLanes(Array numbers) throws SQLException {
    return Arrays.stream((Short[]) numbers.getArray()).map(Short::intValue).toList();
  }

  private static ExportManifest.Marks marks(ResultSet row) throws SQLException {
    return new ExportManifest.Marks(
        row.getLong(8),
        row.getLong(9),
        row.getLong(7),
        row.getInt(4),
        new ExportManifest.PolicyFacts(
            row.getBoolean(13),
            (Boolean) row.getObject(11),
            new ExportManifest.Keep(RowFile.number(row, 10), RowFile.number(row, 12)),
            RowFile.number(row, 14),
            RowFile.number(row, 15)));
  }
}
