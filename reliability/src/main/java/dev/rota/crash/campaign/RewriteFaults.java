package dev.rota.crash.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.crash.server.ControlledServer;
import dev.rota.testing.Await;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Set;

/**
 * Rewrites tables as an operator may. These are a slot of a ring, the wait table and a segment of
 * history of one tenant, and a segment of the ledger. Running workers find the rows at other
 * locations.
 */
final class RewriteFaults {

  /** The number of tables that each fault rewrites. */
  static final int TABLES = 4;

  /**
   * The operator's lock timeout: sessions that wait for the table behind the operator must not be
   * delayed for long.
   */
  private static final String PATIENCE = "set lock_timeout = '150ms'";

  /** The states of a lock timeout or a deadlock; earlier changes stay. */
  private static final Set<String> TRY_AGAIN = Set.of("55P03", "40P01");

  private static final String SLOTS =
      """
      select n.nspname || '.' || c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname = 'rota_%1$d' and c.relkind = 'r' and c.relname like 'task\\_init\\_%%'
       order by 1""";
  private static final String WAIT_TABLE = "select 'rota_%1$d.task_wait_%1$d'";

  /** The newest two segments, in which batches are open. */
  private static final String SEGMENTS =
      """
      select 'rota_%1$d.task_hist_%1$d_' || seq from rota.segment
       where tenant = %1$d and dropped_at is null order by seq desc limit 2""";

  private static final String LEDGERS =
      "select 'rota.task_batch_' || seq from rota.ledger_segment order by seq desc limit 2";

  private RewriteFaults() {}

  static void vacuumFull(ActiveFault fault) throws Exception {
    rewrite(fault, "vacuum full %1$s");
  }

  /** Clusters the tables in reverse order, so that no row stays where it was. */
  static void cluster(ActiveFault fault) throws Exception {
    rewrite(
        fault,
        """
        begin;
        create index rewritten on %1$s (id desc);
        cluster %1$s using rewritten;
        drop index %2$s.rewritten;
        commit""");
  }

  static void setLogged(ActiveFault fault) throws Exception {
    rewrite(fault, "alter table %1$s set unlogged", "alter table %1$s set logged");
  }

  static void addColumn(ActiveFault fault) throws Exception {
    rewrite(
        fault,
        "alter table %1$s add column if not exists rewritten float8 default random()",
        "alter table %1$s drop column if exists rewritten");
  }

  /** Rewrites tables. No server dies meanwhile: an unlogged table would be empty afterwards. */
  private static void rewrite(ActiveFault fault, String... statements) throws Exception {
    fault.withServer(
        server -> {
          for (String tables : List.of(SLOTS, WAIT_TABLE, SEGMENTS, LEDGERS)) {
            rewrite(server, table(server, tables, fault), statements);
          }
        });
  }

  private static void rewrite(ControlledServer server, String table, String... statements)
      throws Exception {
    String file = "select pg_relation_filenode('" + table + "')";
    long before = server.number(file);
    Await.until(table + " is rewritten", () -> isDone(server, table, statements));
    assertThat(server.number(file)).as("file of " + table).isNotEqualTo(before);
  }

  private static String table(ControlledServer server, String query, ActiveFault fault)
      throws SQLException {
    List<String> tables = server.texts(query.formatted(fault.tenant().number()));
    return tables.get(fault.victim() / CampaignTenants.NAMES.size() % tables.size());
  }

  private static boolean isDone(ControlledServer server, String table, String... statements)
      throws SQLException {
    String schema = table.substring(0, table.indexOf('.'));
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(PATIENCE);
      for (String text : statements) {
        statement.execute(text.formatted(table, schema));
      }
      return true;
    } catch (SQLException e) {
      if (TRY_AGAIN.contains(e.getSQLState())) {
        return false;
      }
      throw e;
    }
  }
}
