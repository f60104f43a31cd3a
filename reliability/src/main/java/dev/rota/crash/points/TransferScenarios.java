package dev.rota.crash.points;

import static dev.rota.crash.points.CrashScenario.lengthy;

import dev.rota.Tenant;
import dev.rota.erasure.Belongings;
import dev.rota.erasure.ErasureReceipt;
import dev.rota.erasure.TenantEraser;
import dev.rota.transfer.RestoreOptions;
import dev.rota.transfer.TenantTransfer;
import dev.rota.transfer.TransferReport;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Scenarios of tenants that leave, move and come back: each has a task in the archive, and some in
 * tables.
 */
final class TransferScenarios {

  /** An object that an archiver was about to put when it was killed. */
  private static final String BEGUN =
      "insert into rota.archive (tenant, seq, opened_at, sealed_at, key)"
          + " values (%1$d, 8, now(), now(), '%2$s')";

  private static final String UNKNOWN_ROWS = " -1";

  /** A foreign table of another program beside the tables of the tenant. */
  private static final String FOREIGN_TABLE =
      """
      create extension if not exists file_fdw;
      create server if not exists strangers foreign data wrapper file_fdw;
      create foreign table rota_%1$d.strangers (line text)
        server strangers options (filename 'strangers.csv')""";

  private static final String MANIFEST =
      "select (to_jsonb(a) - 'begun_at' - 'archived_at')::text from rota.archive a"
          + " where tenant = %1$d and archived_at is not null";

  private TransferScenarios() {}

  static List<CrashScenario> all() {
    return List.of(
        lengthy("erase a tenant", TransferScenarios::erase),
        lengthy("export a tenant", TransferScenarios::export),
        lengthy("import a tenant", TransferScenarios::importTenant),
        lengthy("restore a tenant that is lost", TransferScenarios::restoreLost),
        lengthy("restore a tenant that is there again", TransferScenarios::restoreBegunAnew));
  }

  private static void furnish(ScenarioEnvironment stage) throws SQLException {
    HistoryScenarios.archived(stage, "cold");
    DaemonScenarios.runOne(stage, "hot");
    stage.enqueue("pending");
    stage.sound().assignments().workers("crawlers").add(List.of(1L));
  }

  private static TenantTransfer transfer(ScenarioEnvironment stage) {
    return TenantTransfer.over(stage.rota(), stage.archive());
  }

  private static CrashScenario.Act erase(ScenarioEnvironment stage)
      throws SQLException, IOException {
    furnish(stage);
    stage.execute(FOREIGN_TABLE);
    String name = stage.sound().name();
    stage.bench().sound().tenants().close(name);
    List<String> belongings = stage.expectErasure();
    String hour = "tenant=" + stage.sound().number() + "/hour=2030-01-31T08Z";
    String begun = hour + "/seq=8.parquet";
    stage.bench().execute(BEGUN.formatted(stage.sound().number(), begun));
    String stray = hour + "/seq=9.parquet";
    stage.bench().archive().putStray(stray);
    belongings.addAll(List.of(begun + UNKNOWN_ROWS, stray + UNKNOWN_ROWS));
    belongings.sort(null);
    TenantEraser eraser = TenantEraser.builder(stage.rota()).archive(stage.archive()).build();
    AtomicReference<ErasureReceipt> receipt = new AtomicReference<>();
    CrashScenario.Act act = () -> receipt.set(eraser.erase(name));
    return act.until(
        "the receipt is whole",
        () -> Belongings.of(Objects.requireNonNull(receipt.get())).equals(belongings));
  }

  private static CrashScenario.Act export(ScenarioEnvironment stage) throws SQLException {
    furnish(stage);
    Path folder = stage.bench().archive().newExport();
    AtomicReference<TransferReport> report = new AtomicReference<>();
    CrashScenario.Act act =
        () -> report.set(transfer(stage).exportTenant(stage.sound().name(), folder));
    return act.until(
        "all of it is written",
        () ->
            counts(Objects.requireNonNull(report.get()))
                .equals(Map.of("pending", 1L, "history", 1L, "archived", 1L)));
  }

  private static Map<String, Long> counts(TransferReport report) {
    return Map.of(
        "pending", report.count("pending"),
        "history", report.count("history"),
        "archived", report.count("archived"));
  }

  /** Imports into the exporting database, under another name. */
  private static CrashScenario.Act importTenant(ScenarioEnvironment stage) throws SQLException {
    Path export = stage.bench().archive().export(() -> exported(stage));
    String copy = stage.newName();
    CrashScenario.Act act = () -> transfer(stage).importTenant(export, copy);
    return act.until("all has arrived, once", () -> isWhole(stage.bench(), copy));
  }

  private static Path exported(ScenarioEnvironment stage) throws SQLException {
    furnish(stage);
    Path folder = stage.bench().archive().newExport();
    TransferReport unused =
        TenantTransfer.over(stage.bench().sound(), stage.archive())
            .exportTenant(stage.sound().name(), folder);
    return folder;
  }

  private static boolean isWhole(PointsEnvironment bench, String name) throws Exception {
    int number = (int) bench.number("select number from rota.tenant where name = '" + name + "'");
    List<String> keys =
        bench.texts(
            "select key from rota.archive where archived_at is not null and tenant = " + number);
    List<String> rows =
        bench.texts(
            ("select payload || '=' || state from rota_%1$d.task_init_%1$d"
                    + " union all select payload || '=' || state from rota_%1$d.task_hist_%1$d"
                    + " order by 1")
                .formatted(number));
    return keys.size() == 1
        && keys.equals(bench.archive().keys(number))
        && bench.archive().attempts(keys.get(0)).equals(List.of("cold=done"))
        && rows.equals(List.of("hot=done", "pending=pending"));
  }

  /** Restores a lost tenant: it comes back closed, with its history alone. */
  private static CrashScenario.Act restoreLost(ScenarioEnvironment stage) throws SQLException {
    String manifest = losing(stage);
    // As in a new database.
    stage.execute("select setval('rota.task_id', 1024)");
    return restoring(stage, manifest);
  }

  /**
   * Restores a tenant that was registered again: its tables begin with numbers that the archive
   * has.
   */
  private static CrashScenario.Act restoreBegunAnew(ScenarioEnvironment stage) throws SQLException {
    String manifest = losing(stage);
    stage.execute("select setval(pg_get_serial_sequence('rota.tenant', 'number'), %1$d, false)");
    // By a Rota that has not seen the tenant before.
    Tenant anew = stage.rota().tenants().register(stage.sound().name());
    if (anew.number() != stage.sound().number()) {
      throw new AssertionError(anew + " is not " + stage.sound());
    }
    return restoring(stage, manifest);
  }

  /** Archives a task, and loses all data of its tenant in the database; returns the manifest. */
  private static String losing(ScenarioEnvironment stage) throws SQLException {
    HistoryScenarios.archived(stage, "cold");
    String manifest = stage.text(MANIFEST);
    stage.execute(
        "drop schema rota_%1$d cascade; delete from rota.tenant where number = %1$d;"
            + " delete from rota.archive where tenant = %1$d");
    return manifest;
  }

  private static CrashScenario.Act restoring(ScenarioEnvironment stage, String manifest) {
    RestoreOptions options = RestoreOptions.defaults().withNumber(stage.sound().number());
    CrashScenario.Act act = () -> transfer(stage).restoreTenant(stage.sound().name(), options);
    return act.until("the manifest is as it was", () -> stage.is(manifest, MANIFEST));
  }
}
