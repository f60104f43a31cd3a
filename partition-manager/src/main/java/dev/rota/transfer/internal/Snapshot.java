package dev.rota.transfer.internal;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.db.TransactionBody;
import dev.rota.internal.schema.BlockRange;
import dev.rota.internal.schema.TableExtent;
import dev.rota.internal.sql.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.List;
import java.util.Map;
import org.jooq.Name;
import org.jooq.QueryPart;
import org.jooq.impl.DSL;

/**
 * Reads tables as of one moment, some megabytes at once. Each part runs behind a savepoint that is
 * rolled back, so that no lock stays on tables of other tenants, such as the ledger. Used by one
 * thread.
 */
final class Snapshot {

  private static final Sql READ_ROWS_OF_TENANT = Sql.named("read_rows_of_tenant");
  private static final Sql DIVIDE_TABLE = Sql.named("divide_table");
  private static final Sql READ_ROWS = Sql.named("read_rows");

  private static final long BYTES_TOGETHER = 4L << 20;
  private static final int TRIES = 3;

  private final Session session;

  Snapshot(Session session) {
    this.session = session;
  }

  /** The destination of rows. */
  interface Sink {
    void take(ResultSet row) throws SQLException;
  }

  /** Runs a part; again if the ledger was changed at that moment. */
  <T> T part(String purpose, TransactionBody<T> body) throws SQLException {
    for (int attempt = 1; ; attempt++) {
      Savepoint mark = session.mark();
      try {
        T result = body.run(session);
        session.rollBackTo(mark);
        session.release(mark);
        return result;
      } catch (SQLException e) {
        if (attempt == TRIES || !(SqlErrors.isMissingTable(e) || SqlErrors.isLockConflict(e))) {
          throw e;
        }
        session.rollBackTo(mark);
      }
    }
  }

  /** Reads all rows of a table, in their physical order. */
  void read(Name table, TableLayout as, Sink sink) throws SQLException {
    read(table, as.read(), as.size(), sink);
  }

  /** Reads some expressions over all rows of a table {@code h}. */
  void read(Name table, String columns, String size, Sink sink) throws SQLException {
    Map<String, QueryPart> places =
        Map.of("table", table, "columns", DSL.sql(columns), "size", DSL.sql(size));
    TableExtent extent = TableExtent.of(session, table);
    for (BlockRange range : extent.ranges(BlockRange.READ_TOGETHER)) {
      String end = range.end().toString();
      List<String> parts = parts(places, range);
      for (int i = 0; i < parts.size(); i++) {
        String next = i + 1 < parts.size() ? parts.get(i + 1) : end;
        rows(READ_ROWS.on(places), sink, parts.get(i), next);
      }
    }
  }

  /** Reads the rows of a tenant in a table of the registry. */
  void readOfTenant(Name table, TableLayout as, int tenant, String condition, Sink sink)
      throws SQLException {
    rows(
        READ_ROWS_OF_TENANT.on(
            Map.of(
                "table", table,
                "columns", DSL.sql(as.read()),
                "condition", DSL.sql(condition))),
        sink,
        tenant);
  }

  private void rows(String sql, Sink sink, Object... binds) throws SQLException {
    List<Boolean> unused =
        session.run(
            BoundStatement.query(
                READ_ROWS.call(),
                sql,
                row -> {
                  sink.take(row);
                  return true;
                },
                binds));
  }

  private List<String> parts(Map<String, QueryPart> places, BlockRange range) throws SQLException {
    return session.run(
        BoundStatement.query(
            DIVIDE_TABLE.call(),
            DIVIDE_TABLE.on(places),
            row -> row.getString(1),
            BYTES_TOGETHER,
            range.start(),
            range.end()));
  }
}
