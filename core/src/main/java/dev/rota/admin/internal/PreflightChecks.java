package dev.rota.admin.internal;

import dev.rota.admin.Finding;
import dev.rota.admin.Finding.Severity;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.schema.NamePatterns;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The checks of a preflight: one statement each, whose rows are the findings. */
public final class PreflightChecks {

  private static final Sql SERVER_VERSION = Sql.named("server_version");
  private static final Sql STANDBY = Sql.named("standby");
  private static final Sql RESET_DEFAULT_ISOLATION = Sql.named("reset_default_isolation");
  private static final Sql SETTINGS_WITH_VALUES = Sql.named("settings_with_values");
  private static final Sql SETTINGS_WITH_OTHER_VALUES = Sql.named("settings_with_other_values");
  private static final Sql PUBLICATIONS = Sql.named("publications");
  private static final Sql ROOM_FOR_LOCKS = Sql.named("room_for_locks");
  private static final Sql FOREIGN_ADVISORY_LOCKS = Sql.named("foreign_advisory_locks");
  private static final Sql OLD_TRANSACTIONS = Sql.named("old_transactions");
  private static final Sql RIGHTS_OF_PUBLIC = Sql.named("rights_of_public");
  private static final Sql OPEN_SEARCH_PATH = Sql.named("open_search_path");

  private static final int OLDEST = 150_000;
  private static final int NEWEST = 190_000;

  /** The locks that one claim may hold. */
  private static final long LOCKS_OF_A_CLAIM = 64;

  /** The risk of each setting that gives up durability. */
  private static final Map<String, String> LOST =
      Map.of(
          "fsync", "a crash of the machine may lose or destroy anything in the database",
          "full_page_writes", "a crash of the machine may destroy pages of tables",
          "synchronous_commit",
              "a crash of the server loses tasks that were acknowledged up to three times"
                  + " wal_writer_delay ago, and settled ones run again");

  private final NamePatterns names;
  private final int lockNamespace;
  private final OldWorkersCheck oldWorkers;

  public PreflightChecks(RegistryTables tables, int lockNamespace) {
    this.names = new NamePatterns(tables);
    this.lockNamespace = lockNamespace;
    this.oldWorkers = new OldWorkersCheck(tables);
  }

  /** Looks for workers that do not obey the rules; nothing where this session cannot see them. */
  List<Finding> ofWorkers(Session session) throws SQLException {
    return oldWorkers.findings(session);
  }

  /** All checks, where a transaction counts as old once it has been open for the given time. */
  List<BoundStatement<List<Finding>>> all(Duration old) {
    return Stream.concat(ofServer().stream(), ofDatabase(old).stream()).toList();
  }

  /** The checks of the server without which no part of Rota works. */
  List<BoundStatement<List<Finding>>> ofServer() {
    return List.of(version(), recovery(), readOnly());
  }

  private List<BoundStatement<List<Finding>>> ofDatabase(Duration old) {
    return List.of(
        publications(),
        defaultIsolation(),
        isolation(),
        durability(),
        autovacuum(),
        counters(),
        accessMethod(),
        encoding(),
        locks(),
        advisoryLocks(),
        oldTransactions(old),
        publicRights(),
        searchPath());
  }

  private static BoundStatement<List<Finding>> version() {
    return check(SERVER_VERSION, row -> version(row.getInt(1), row.getString(2)));
  }

  /** Checks whether Rota supports the server's version. */
  static @Nullable Finding version(int number, String name) {
    String problem = "the server is PostgreSQL " + name;
    if (number < OLDEST) {
      return error(
          "server version", problem, "Rota needs features of PostgreSQL 15", "upgrade the server");
    }
    return number < NEWEST
        ? null
        : warning(
            "server version",
            problem,
            "this version of Rota was tested with 15 to 18",
            "look for a newer Rota");
  }

  private static BoundStatement<List<Finding>> recovery() {
    return check(
        STANDBY,
        row ->
            error(
                "standby",
                "the server is a standby",
                "it takes no changes",
                "connect to the primary, for instance with targetServerType=primary in the URL"));
  }

  private static BoundStatement<List<Finding>> readOnly() {
    return settings(
        SETTINGS_WITH_VALUES,
        Map.of("default_transaction_read_only", "on"),
        (name, value) ->
            error(
                "read-only transactions",
                name + " is " + value,
                "Rota can change nothing",
                "switch it off for the database and the role that Rota logs in as"));
  }

  private BoundStatement<List<Finding>> publications() {
    return check(
        PUBLICATIONS,
        row ->
            error(
                "publications",
                "publication "
                    + row.getString(1)
                    + " publishes deletes or updates of "
                    + row.getString(2),
                "tables of tenants have no replica identity, so every claim fails",
                "name the tables or schemas that it should publish, without those of Rota, or"
                    + " publish inserts alone"),
        names.tenantSchemas(),
        names.tenantSchemas());
  }

  /**
   * Checks the server's default isolation. The session setting is first reset to it: pools set the
   * isolation of their connections.
   */
  private static BoundStatement<List<Finding>> defaultIsolation() {
    return BoundStatement.update(RESET_DEFAULT_ISOLATION).map(none -> List.of());
  }

  private static BoundStatement<List<Finding>> isolation() {
    return settings(
        SETTINGS_WITH_OTHER_VALUES,
        Map.of("default_transaction_isolation", "read committed"),
        (name, value) ->
            warning(
                "default isolation",
                name + " is '" + value + "'",
                "Rota's own transactions are READ COMMITTED, but those of yours in"
                    + " which you enqueue may end with serialization failures",
                "switch it back for the role that enqueues, or be ready to repeat transactions"));
  }

  private static BoundStatement<List<Finding>> durability() {
    return settings(
        SETTINGS_WITH_VALUES,
        Map.of("fsync", "off", "full_page_writes", "off", "synchronous_commit", "off"),
        (name, value) ->
            warning(
                "durability",
                name + " is " + value,
                String.valueOf(LOST.get(name)),
                "switch it on"));
  }

  private static BoundStatement<List<Finding>> autovacuum() {
    return settings(
        SETTINGS_WITH_VALUES,
        Map.of("autovacuum", "off"),
        (name, value) ->
            warning(
                "autovacuum",
                name + " is " + value,
                "the registry, the wait tables and the system catalogs grow and slow everything"
                    + " down",
                "switch it on; rings and history have it off by themselves"));
  }

  private static BoundStatement<List<Finding>> counters() {
    return settings(
        SETTINGS_WITH_VALUES,
        Map.of("track_counts", "off"),
        (name, value) ->
            warning(
                "counters",
                name + " is " + value,
                "workers see by the counters of tables where work is, and else find it late",
                "switch it on"));
  }

  private static BoundStatement<List<Finding>> accessMethod() {
    return settings(
        SETTINGS_WITH_OTHER_VALUES,
        Map.of("default_table_access_method", "heap"),
        (name, value) ->
            error(
                "table access method",
                name + " is '" + value + "'",
                "claims rely on the row addresses of ordinary tables, and tables that Rota makes"
                    + " would not be such",
                "set it to heap for the roles that Rota logs in as"));
  }

  private static BoundStatement<List<Finding>> encoding() {
    return settings(
        SETTINGS_WITH_OTHER_VALUES,
        Map.of("server_encoding", "UTF8"),
        (name, value) ->
            warning(
                "encoding",
                "the encoding of the database is " + value,
                "names and payloads with other characters are refused",
                "use a database with the encoding UTF8"));
  }

  private BoundStatement<List<Finding>> locks() {
    return check(
        ROOM_FOR_LOCKS,
        row -> locks(row.getLong(1), row.getLong(2), Math.max(row.getLong(3), 2 * row.getLong(4))),
        names.tenantSchemas());
  }

  private static @Nullable Finding locks(long room, long perTransaction, long needed) {
    if (needed <= room && perTransaction >= LOCKS_OF_A_CLAIM) {
      return null;
    }
    String consequence =
        needed > room
            ? "pg_dump, or dropping a tenant, may need "
                + needed
                + " at once and would fail, and other transactions with it"
            : "a claim may hold " + LOCKS_OF_A_CLAIM + ", so many claims at once may fail";
    return warning(
        "locks",
        "the lock table has room for " + room + " locks",
        consequence,
        "raise max_locks_per_transaction, which is " + perTransaction + ", and restart the server");
  }

  private BoundStatement<List<Finding>> advisoryLocks() {
    return check(
        FOREIGN_ADVISORY_LOCKS,
        row ->
            warning(
                "advisory locks",
                "session "
                    + row.getInt(1)
                    + " ("
                    + named(row.getString(2))
                    + ", role "
                    + row.getString(3)
                    + ", "
                    + row.getString(4)
                    + " for "
                    + row.getLong(5)
                    + " s) holds "
                    + row.getLong(6)
                    + " advisory locks with the first key "
                    + lockNamespace,
                "tenants with the numbers of their second keys are not served meanwhile",
                "end that session, or choose another Rota.Builder.lockNamespace in all processes"),
        (long) lockNamespace);
  }

  private static BoundStatement<List<Finding>> oldTransactions(Duration old) {
    return check(
        OLD_TRANSACTIONS,
        row ->
            warning(
                "old transactions",
                row.getString(1)
                    + " of "
                    + named(row.getString(2))
                    + " has a transaction that is open for "
                    + row.getLong(3)
                    + " s",
                "rows that are dead stay in all tables until it ends, and rings that it has touched"
                    + " are not rotated",
                "end it, if it is there by mistake"),
        old.toMillis(),
        old.toMillis());
  }

  private BoundStatement<List<Finding>> publicRights() {
    String schemas = names.schemas();
    return check(
        RIGHTS_OF_PUBLIC,
        row ->
            warning(
                "rights of PUBLIC",
                "every role has rights on " + row.getString(1),
                "any role that can connect may use it",
                "revoke all on it from public, and look at pg_default_acl for where that came"
                    + " from"),
        schemas,
        names.tenantTables() + "|" + names.ledger() + "|" + names.registry(),
        schemas,
        schemas);
  }

  private static BoundStatement<List<Finding>> searchPath() {
    return check(
        OPEN_SEARCH_PATH,
        row ->
            warning(
                "search path",
                "every role may create objects in schema "
                    + row.getString(1)
                    + ", which is in the search_path of this login",
                "a function there that fits a call better than PostgreSQL's runs with the rights of"
                    + " this login",
                "revoke create on schema "
                    + row.getString(1)
                    + " from public, or give the login a search_path without it"));
  }

  private static String named(@Nullable String application) {
    return application == null || application.isEmpty()
        ? "an application without a name"
        : "'" + application + "'";
  }

  private static BoundStatement<List<Finding>> settings(
      Sql statement, Map<String, String> values, SettingReader reader) {
    String[] names = values.keySet().stream().sorted().toArray(String[]::new);
    String[] settings = Stream.of(names).map(values::get).toArray(String[]::new);
    return check(
        statement,
        row -> {
          Finding finding = reader.read(row.getString(1), row.getString(2));
          return new Finding(
              finding.check(),
              finding.severity(),
              finding.problem() + " (set by: " + row.getString(3) + ")",
              finding.consequence(),
              finding.advice());
        },
        names,
        settings);
  }

  /** Reads a row; null if it is no finding. */
  private interface FindingReader {
    @Nullable Finding read(ResultSet row) throws SQLException;
  }

  private interface SettingReader {
    Finding read(String name, String value);
  }

  private static BoundStatement<List<Finding>> check(
      Sql statement, FindingReader reader, @Nullable Object... binds) {
    return BoundStatement.query(
            statement, row -> Stream.ofNullable(reader.read(row)).toList(), binds)
        .map(rows -> rows.stream().flatMap(List::stream).toList());
  }

  private static Finding error(String check, String problem, String consequence, String advice) {
    return new Finding(check, Severity.ERROR, problem, consequence, advice);
  }

  private static Finding warning(String check, String problem, String consequence, String advice) {
    return new Finding(check, Severity.WARNING, problem, consequence, advice);
  }
}
