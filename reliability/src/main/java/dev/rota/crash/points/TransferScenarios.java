package dev.rota.crash.points;

import static dev.rota.crash.points.CrashScenario.lengthy;

import dev.rota.Tenant;
import dev.rota.erasure.Belongings;
import dev.rota.erasure.ErasureReceipt;
import dev.rota.erasure.TenantEraser;
import dev.rota.limits.Controls;
import dev.rota.limits.Scope;
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

  private static void furnish(ScenarioEnvironment environment) throws SQLException {
    HistoryScenarios.archived(environment, "cold");
    DaemonScenarios.runOne(environment, "hot");
    environment.enqueue("pending");
    environment.sound().assignments().workers("crawlers").add(List.of(1L));
    Controls controls = environment.bench().sound().controls();
    String name = environment.sound().name();
    controls.changePlan(name, "pro");
    controls.changeLimits(Scope.tenant(name), limits -> limits.weight(2));
  }

  private static TenantTransfer transfer(ScenarioEnvironment environment) {
    return TenantTransfer.over(environment.rota(), environment.archive());
  }

  private static CrashScenario.Act erase(ScenarioEnvironment environment)
      throws SQLException, IOException {
    furnish(environment);
    environment.execute(FOREIGN_TABLE);
    String name = environment.sound().name();
    environment.bench().sound().tenants().close(name);
    List<String> belongings = environment.expectErasure();
    String hour = "tenant=" + environment.sound().number() + "/hour=2030-01-31T08Z";
    String begun = hour + "/seq=8.parquet";
    environment.bench().execute(BEGUN.formatted(environment.sound().number(), begun));
    String stray = hour + "/seq=9.parquet";
    environment.bench().archive().putStray(stray);
    belongings.addAll(List.of(begun + UNKNOWN_ROWS, stray + UNKNOWN_ROWS));
    belongings.sort(null);
    TenantEraser eraser =
        TenantEraser.builder(environment.rota()).archive(environment.archive()).build();
    AtomicReference<ErasureReceipt> receipt = new AtomicReference<>();
    CrashScenario.Act act = () -> receipt.set(eraser.erase(name));
    return act.until(
        "the receipt is whole",
        () -> Belongings.of(Objects.requireNonNull(receipt.get())).equals(belongings));
  }

  private static CrashScenario.Act export(ScenarioEnvironment environment) throws SQLException {
    furnish(environment);
    Path folder = environment.bench().archive().newExport();
    AtomicReference<TransferReport> report = new AtomicReference<>();
    CrashScenario.Act act =
        () -> report.set(transfer(environment).exportTenant(environment.sound().name(), folder));
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
  private static CrashScenario.Act importTenant(ScenarioEnvironment environment)
      throws SQLException {
    Path export = environment.bench().archive().export(() -> exported(environment));
    String copy = environment.newName();
    CrashScenario.Act act = () -> transfer(environment).importTenant(export, copy);
    return act.until("all has arrived, once", () -> isWhole(environment.bench(), copy));
  }

  private static Path exported(ScenarioEnvironment environment) throws SQLException {
    furnish(environment);
    Path folder = environment.bench().archive().newExport();
    TransferReport unused =
        TenantTransfer.over(environment.bench().sound(), environment.archive())
            .exportTenant(environment.sound().name(), folder);
    return folder;
  }

  private static boolean hasLimits(PointsEnvironment server, int number) throws SQLException {
    return server
        .texts(
            "select t.plan || r.weight from rota.tenant t join rota.rule r on r.tenant = t.number"
                + " where t.number = "
                + number)
        .equals(List.of("pro2"));
  }

  private static boolean isWhole(PointsEnvironment server, String name) throws Exception {
    int number = (int) server.number("select number from rota.tenant where name = '" + name + "'");
    List<String> keys =
        server.texts(
            "select key from rota.archive where archived_at is not null and tenant = " + number);
    List<String> rows =
        server.texts(
            ("select payload || '=' || state from rota_%1$d.task_init_%1$d"
                    + " union all select payload || '=' || state from rota_%1$d.task_hist_%1$d"
                    + " order by 1")
                .formatted(number));
    return hasLimits(server, number)
        && keys.size() == 1
        && keys.equals(server.archive().keys(number))
        && server.archive().attempts(keys.get(0)).equals(List.of("cold=done"))
        && rows.equals(List.of("hot=done", "pending=pending"));
  }

  /** Restores a lost tenant: it comes back closed, with its history alone. */
  private static CrashScenario.Act restoreLost(ScenarioEnvironment environment)
      throws SQLException {
    String manifest = losing(environment);
    // As in a new database.
    environment.execute("select setval('rota.task_id', 1024)");
    return restoring(environment, manifest);
  }

  /**
   * Restores a tenant that was registered again: its tables begin with numbers that the archive
   * has.
   */
  private static CrashScenario.Act restoreBegunAnew(ScenarioEnvironment environment)
      throws SQLException {
    String manifest = losing(environment);
    environment.execute(
        "select setval(pg_get_serial_sequence('rota.tenant', 'number'), %1$d, false)");
    // By a Rota that has not seen the tenant before.
    Tenant anew = environment.rota().tenants().register(environment.sound().name());
    if (anew.number() != environment.sound().number()) {
      throw new AssertionError(anew + " is not " + environment.sound());
    }
    return restoring(environment, manifest);
  }

  /** Archives a task, and loses all data of its tenant in the database; returns the manifest. */
  private static String losing(ScenarioEnvironment environment) throws SQLException {
    HistoryScenarios.archived(environment, "cold");
    String manifest = environment.text(MANIFEST);
    environment.execute(
        "drop schema rota_%1$d cascade; delete from rota.tenant where number = %1$d;"
            + " delete from rota.archive where tenant = %1$d");
    return manifest;
  }

  private static CrashScenario.Act restoring(ScenarioEnvironment environment, String manifest) {
    RestoreOptions options = RestoreOptions.defaults().withNumber(environment.sound().number());
    CrashScenario.Act act =
        () -> transfer(environment).restoreTenant(environment.sound().name(), options);
    return act.until("the manifest is as it was", () -> environment.is(manifest, MANIFEST));
  }
}
