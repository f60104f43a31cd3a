package dev.rota.transfer.internal;

import dev.rota.archive.internal.parquet.DuckDbFile;
import dev.rota.archive.internal.parquet.Staging;
import dev.rota.assignment.internal.PoolSlots;
import dev.rota.graph.internal.GraphDdl;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.schema.RoleSql;
import dev.rota.internal.schema.TenantDdl;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.sql.TenantTables;
import dev.rota.internal.tenant.LaneCreator;
import dev.rota.internal.tenant.SlotWidener;
import dev.rota.transfer.TransferException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jooq.Name;

/** Fills a reserved tenant, in one transaction, and opens it. Used once. */
final class StateImporter {

  private static final Sql LOCK_IMPORT = Sql.named("lock_import");
  private static final Sql SETTLE_SEGMENTS = Sql.named("settle_segments");
  private static final Sql NOTE_ARCHIVED_FILES = Sql.named("note_archived_files");
  private static final Sql FINISH_IMPORT = Sql.named("finish_import");
  private static final Sql BE_ONESELF = Sql.named("be_oneself");
  private static final Sql FLUSH_COUNTERS = Sql.named("flush_counters");
  private static final Sql IMPORT_PLAN = Sql.named("import_plan");
  private static final Sql IMPORT_RULES = Sql.named("import_rules");
  private static final Sql ADD_POOL = Sql.named("add_pool");

  private final RegistryTables rota;
  private final ExportFolder folder;
  private final ExportManifest manifest;
  private final RowLoader.Workplace workplace;
  private final TenantDdl ddl;

  StateImporter(
      RegistryTables rota,
      ExportFolder folder,
      ExportManifest manifest,
      RowLoader.Workplace workplace) {
    this.rota = rota;
    this.folder = folder;
    this.manifest = manifest;
    this.workplace = workplace;
    this.ddl = new TenantDdl(rota);
  }

  /** Fills the tenant; false if another process has finished it meanwhile. */
  boolean fill(Session session, int number) throws SQLException {
    if (!isImporting(session, number)) {
      return false;
    }
    try {
      Staging.discard(workplace.folder(), workplace.prefix());
      List<Integer> hot = segments();
      session.run(RoleSql.actAsKeeper(rota));
      makeTables(session, rota.tenant(number), hot);
      List<Limits> limits;
      try (RowLoader loader = RowLoader.open(session, workplace)) {
        if (new LargePayloads(folder, manifest).exist(loader)) {
          List<Boolean> unused = session.run(SlotWidener.of(rota.tenant(number)));
        }
        session.run(BoundStatement.query(BE_ONESELF, row -> true));
        fill(session, rota.tenant(number), hot, loader);
        limits = limits(loader);
      }
      // It locks all rules, so it comes when nothing takes long any more.
      setLimits(session, number, limits);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    finish(session, number);
    return true;
  }

  private boolean isImporting(Session session, int number) throws SQLException {
    List<Boolean> found =
        session.run(
            BoundStatement.query(
                LOCK_IMPORT.call(),
                LOCK_IMPORT.on("tenants", rota.tenants()),
                row -> row.getBoolean(1),
                number));
    if (found.isEmpty()) {
      throw new TransferException(
          "tenant "
              + number
              + ", which was being imported, is no longer in the registry; repeat the import");
    }
    return found.get(0);
  }

  private List<Integer> segments() {
    return manifest.filesIn(ExportFolder.HISTORY).stream()
        .map(file -> Integer.valueOf(file.path().replaceAll("\\D", "")))
        .sorted()
        .toList();
  }

  private void makeTables(Session session, TenantTables own, List<Integer> hot)
      throws SQLException {
    List<Integer> lanes = manifest.tenant().lanes();
    for (int lane = 1; lane < lanes.size(); lane++) {
      LaneCreator.create(session, rota, own, lanes.subList(0, lane + 1));
    }
    List<String> statements = new ArrayList<>();
    if (has(TableLayout.KEYS)) {
      statements.addAll(TenantDdl.createKeys(own));
    }
    if (has(TableLayout.GRAPHS)) {
      statements.addAll(GraphDdl.create(own));
    }
    if (has(TableLayout.KNOWN)) {
      statements.addAll(TenantDdl.createAssignments(own));
    }
    List<Integer> all = new ArrayList<>(hot);
    hot.forEach(seq -> statements.add(ddl.createSegment(own, seq)));
    all.add(manifest.tenant().marks().currentSegment() + 1);
    statements.add(ddl.historyView(own, all));
    session.execute("make tables of tenant", statements);
  }

  private boolean has(TableLayout table) {
    return manifest.file(table.file()).isPresent();
  }

  private void fill(Session session, TenantTables own, List<Integer> hot, RowLoader loader)
      throws IOException, SQLException {
    int lanes = manifest.tenant().lanes().size();
    for (int lane : IntStream.range(0, lanes).toArray()) {
      load(loader, TableLayout.ring(lane), own.slot(lane * TenantTables.SLOTS));
    }
    for (Map.Entry<TableLayout, Name> each : TableLayout.of(own).entrySet()) {
      load(loader, each.getKey(), each.getValue());
    }
    loadOfTenant(loader, TableLayout.SCHEDULES, rota.schedules(), own.number());
    loadOfTenant(loader, TableLayout.STATISTICS, rota.statistics(), own.number());
    loadPools(session, loader, own);
    loadHistory(session, loader, own, hot);
  }

  private void load(RowLoader loader, TableLayout table, Name into)
      throws IOException, SQLException {
    load(loader, table, RowLoader.Target.of(into));
  }

  private void loadOfTenant(RowLoader loader, TableLayout table, Name into, int number)
      throws IOException, SQLException {
    load(loader, table, RowLoader.Target.of(into, "tenant", number));
  }

  private void load(RowLoader loader, TableLayout table, RowLoader.Target target)
      throws IOException, SQLException {
    if (has(table)) {
      check(table.file(), loader.load(folder.path(table.file()), table, target));
    }
  }

  private void check(String file, long loaded) {
    long expected = manifest.file(file).map(ExportManifest.FileFacts::rows).orElse(0L);
    if (loaded != expected) {
      throw new TransferException(
          "%d of the %d rows of %s were imported; nothing is kept of them, repeat the import"
              .formatted(loaded, expected, file));
    }
  }

  /** Loads pools. They get numbers of this database, and their members other positions in it. */
  private void loadPools(Session session, RowLoader loader, TenantTables own)
      throws IOException, SQLException {
    if (!has(TableLayout.KNOWN)) {
      return;
    }
    Map<Long, Place> places = new HashMap<>();
    for (Pool pool : pools(loader)) {
      int number = add(session, own.number(), pool);
      PoolSlots spots = PoolSlots.ofKnown(rota.schema(), number, (int) pool.kind());
      places.put(pool.number(), new Place(number, spots));
    }
    String members =
        "select id::bigint, pool::bigint, 0::bigint from "
            + DuckDbFile.parquet(folder.path(TableLayout.KNOWN.file()));
    long loaded =
        loader.load(
            members,
            TableLayout.FREE,
            RowLoader.Target.of(own.free()),
            row -> {
              Place place = Objects.requireNonNull(places.get((Long) row[1]), "a pool");
              row[1] = place.pool();
              row[2] = (long) place.spots().of((Long) Objects.requireNonNull(row[0]));
            });
    check(TableLayout.KNOWN.file(), loaded);
  }

  /** A pool in this database. */
  private record Place(long pool, PoolSlots spots) {}

  /** A pool as it was in the exporting database. */
  private record Pool(long number, long kind, String name, long createdAt) {}

  private List<Pool> pools(RowLoader loader) throws IOException {
    return loader
        .duck()
        .query(
            "select "
                + TableLayout.POOLS.joined(Column::loaded)
                + " from "
                + DuckDbFile.parquet(folder.path(TableLayout.POOLS.file())),
            rows -> {
              List<Pool> pools = new ArrayList<>();
              while (rows.next()) {
                pools.add(
                    new Pool(rows.getLong(1), rows.getLong(2), rows.getString(3), rows.getLong(4)));
              }
              return pools;
            });
  }

  private int add(Session session, int tenant, Pool pool) throws SQLException {
    return session
        .run(
            BoundStatement.query(
                ADD_POOL.call(),
                ADD_POOL.on("pools", rota.assignmentPools()),
                row -> row.getInt(1),
                tenant,
                pool.kind(),
                pool.name(),
                pool.createdAt()))
        .get(0);
  }

  /** A plan, and rules as JSON. */
  private record Limits(String plan, String rules) {}

  /** Reads the plan and the rules; exports of older versions have none. */
  private List<Limits> limits(RowLoader loader) throws IOException {
    if (!has(TableLayout.LIMITS)) {
      return List.of();
    }
    List<Limits> found =
        loader
            .duck()
            .query(
                "select "
                    + TableLayout.LIMITS.joined(Column::loaded)
                    + " from "
                    + DuckDbFile.parquet(folder.path(TableLayout.LIMITS.file())),
                rows -> {
                  List<Limits> limits = new ArrayList<>();
                  while (rows.next()) {
                    limits.add(new Limits(rows.getString(1), rows.getString(2)));
                  }
                  return limits;
                });
    check(TableLayout.LIMITS.file(), found.size());
    return found;
  }

  private void setLimits(Session session, int tenant, List<Limits> found) throws SQLException {
    for (Limits limits : found) {
      session.run(
          BoundStatement.update(
              IMPORT_PLAN.call(), IMPORT_PLAN.on("tenants", rota.tenants()), limits.plan, tenant));
      session.run(
          BoundStatement.update(
              IMPORT_RULES.call(), IMPORT_RULES.on("rules", rota.rules()), tenant, limits.rules));
    }
  }

  private void loadHistory(Session session, RowLoader loader, TenantTables own, List<Integer> hot)
      throws IOException, SQLException {
    SegmentLoader segments = new SegmentLoader(rota, session, loader, manifest.tenant().lanes());
    for (int seq : hot) {
      String file = HistoryFiles.name(seq);
      check(file, segments.load(folder.path(file), own, seq));
    }
    loadOfTenant(loader, TableLayout.SEGMENTS, rota.segments(), own.number());
    session.run(
        BoundStatement.update(
            SETTLE_SEGMENTS.call(),
            SETTLE_SEGMENTS.on("segments", rota.segments()),
            own.number(),
            manifest.tenant().marks().currentSegment(),
            hot.toArray(Integer[]::new)));
  }

  private void finish(Session session, int number) throws SQLException {
    session.run(
        BoundStatement.update(
            NOTE_ARCHIVED_FILES.call(), NOTE_ARCHIVED_FILES.on("archive", rota.archive()), number));
    ExportManifest.Marks marks = manifest.tenant().marks();
    ExportManifest.PolicyFacts policy = marks.policy();
    session.run(
        BoundStatement.update(
            FINISH_IMPORT.call(),
            FINISH_IMPORT.on("tenants", rota.tenants()),
            manifest.tenant().closed(),
            policy.legalHold(),
            policy.archive(),
            marks.createdAt(),
            policy.keep().history(),
            policy.keep().archive(),
            policy.segmentAge(),
            policy.segmentBytes(),
            number));
    session.run(BoundStatement.query(FLUSH_COUNTERS, row -> true));
  }
}
