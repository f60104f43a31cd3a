package dev.rota.crash.interleaving;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Empties all tables of the tenant and the ledger, and points its rings at their first slots. Every
 * slot gets a dead row, so that rotations have something to truncate.
 */
final class Reset {

  /** The plays between two truncations of the dead rows, which cost more. */
  private static final int PLAYS_BETWEEN_TRUNCATES = 100;

  private static final String TABLES =
      """
      select quote_ident(n.nspname) || '.' || quote_ident(c.relname), c.relname
        from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind = 'r'
         and (n.nspname = 'rota_%d' or c.relname like 'task\\_batch\\_%%'
              or (n.nspname = 'rota' and c.relname = 'cancel_request')
              or (n.nspname = 'public' and c.relname = 'effect'))""";

  private final Connection connection;
  private final int tenant;
  private int plays;

  private record Table(String name, String shortName) {
    boolean isSlot() {
      return shortName.startsWith("task_init_");
    }
  }

  /** Remembers the registry's present rows. */
  Reset(Connection connection, int tenant) throws SQLException {
    this.connection = connection;
    this.tenant = tenant;
    execute(
        "create table public.first_workers as table rota.worker;"
            + "create table public.first_tenants as table rota.tenant");
  }

  boolean hasTable(String name) throws SQLException {
    return tables().stream().anyMatch(table -> table.shortName().startsWith(name));
  }

  void run() throws SQLException {
    execute("select rota.open_tenant(" + tenant + ")");
    List<Table> tables = tables();
    List<String> statements = new ArrayList<>();
    if (plays++ % PLAYS_BETWEEN_TRUNCATES == 0) {
      statements.add(
          tables.stream().map(Table::name).collect(Collectors.joining(", ", "truncate ", "")));
    }
    for (Table table : tables) {
      if (table.isSlot()) {
        statements.add(
            "insert into %s (id, created_at, attempt, kind, payload) values (0, now(), 0, '', '')"
                .formatted(table.name()));
      }
      statements.add("delete from " + table.name());
    }
    statements.add("delete from rota.usage");
    statements.add("delete from rota.worker");
    statements.add(
        "insert into rota.worker (id, host, lease, started_at, heartbeat_at, token)"
            + " select id, host, interval '1 hour', now(), now(), token from public.first_workers");
    statements.add(
        """
        update rota.tenant t set lane_slots = f.lane_slots
          from public.first_tenants f where f.number = t.number""");
    execute(String.join(";\n", statements));
  }

  private List<Table> tables() throws SQLException {
    List<Table> tables = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(TABLES.formatted(tenant))) {
      while (row.next()) {
        tables.add(new Table(row.getString(1), row.getString(2)));
      }
    }
    return tables;
  }

  private void execute(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
