package dev.rota.crash.points;

import static dev.rota.crash.points.CrashScenario.lengthy;
import static dev.rota.crash.points.CrashScenario.repeatable;

import dev.rota.Tenant;
import dev.rota.admin.Roles;
import java.sql.SQLException;
import java.util.List;

/** Scenarios of migrations: of the schema, its roles, and tenants of older versions. */
final class MigrationScenarios {

  private static final String PREFIX = "points";

  private MigrationScenarios() {}

  static List<CrashScenario> all() {
    return List.of(
        repeatable("migrate again", MigrationScenarios::again),
        lengthy("migrate with roles", MigrationScenarios::withRoles),
        repeatable("make a lane that roles may use", MigrationScenarios::laneOfRoles),
        repeatable("migrate a tenant of an older version", MigrationScenarios::outdated));
  }

  private static CrashScenario.Act again(ScenarioEnvironment environment) {
    return environment.rota().admin()::migrate;
  }

  private static CrashScenario.Act withRoles(ScenarioEnvironment environment) {
    environment.enqueue("a");
    AutoCloseable unused = environment.closeLater(() -> dropRoles(environment.bench()));
    CrashScenario.Act act = () -> environment.rota().admin().migrate(Roles.withPrefix(PREFIX));
    return act.until(
        "each role has what it needs of the tenant",
        () ->
            environment.is(
                "points_daemon t t t",
                "select concat_ws(' ', pg_get_userbyid(relowner),"
                    + " has_table_privilege('points_application', oid, 'insert'),"
                    + " has_table_privilege('points_reader', oid, 'select'),"
                    + " has_schema_privilege('points_reader', relnamespace, 'usage'))"
                    + " from pg_class where oid = 'rota_%1$d.task_init_%1$d_0'::regclass"));
  }

  private static CrashScenario.Act laneOfRoles(ScenarioEnvironment environment) {
    AutoCloseable unused = environment.closeLater(() -> dropRoles(environment.bench()));
    environment.bench().sound().admin().migrate(Roles.withPrefix(PREFIX));
    Tenant tenant = environment.tapped();
    CrashScenario.Act act = () -> tenant.addLane(3);
    return act.until(
        "it may be used",
        () ->
            environment.is(
                "t",
                "select has_table_privilege('points_application',"
                    + " 'rota_%1$d.task_init_%1$d_3', 'insert')"));
  }

  /**
   * Drops the roles. They belong to the whole server; their objects here go back to the creator.
   */
  private static void dropRoles(PointsEnvironment server) throws SQLException {
    List<String> roles =
        server.texts("select rolname from pg_roles where rolname like '" + PREFIX + "\\_%'");
    for (String role : roles) {
      server.execute("reassign owned by " + role + " to current_user; drop owned by " + role);
    }
    for (String role : roles) {
      server.execute("drop role " + role);
    }
  }

  private static CrashScenario.Act outdated(ScenarioEnvironment environment) throws SQLException {
    DaemonScenarios.runOne(environment, "done");
    environment.enqueue("pending");
    environment.execute(
        """
        drop view rota_%1$d.task_hist_%1$d;
        drop view rota_%1$d.task_init_%1$d;
        alter table rota_%1$d.task_init_%1$d_0 drop column key, drop column traits;
        alter table rota_%1$d.task_init_%1$d_1 drop column key, drop column traits;
        alter table rota_%1$d.task_init_%1$d_2 drop column key, drop column traits;
        alter table rota_%1$d.task_wait_%1$d
          drop column key, drop column traits, drop column lane;
        alter table rota_%1$d.task_hist_%1$d_1
          drop column key, drop column traits, drop column lane""");
    CrashScenario.Act act = environment.rota().admin()::migrate;
    return act.until(
        "it has the columns and the views",
        () ->
            environment.is(
                "t",
                "select to_regclass('rota_%1$d.task_hist_%1$d') is not null and exists"
                    + " (select from information_schema.columns where column_name = 'lane'"
                    + " and table_schema = 'rota_%1$d' and table_name = 'task_wait_%1$d')"));
  }
}
