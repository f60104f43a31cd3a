package dev.rota.daemon.internal.rotation;

import dev.rota.daemon.internal.leader.LeaderSession;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.sql.Sql;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Reads the sizes of many tables in one statement. A table that another session has locked is left
 * out for a few seconds, so that it does not block the query for the others. Used by one thread.
 */
final class TableSizes {

  private static final Sql SIZES_OF_TABLES = Sql.named("sizes_of_tables");
  private static final Sql LOCKED_TABLES = Sql.named("locked_tables");

  private static final long AVOID_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final LeaderSession leader;
  private final Set<Long> avoided = new HashSet<>();
  private long avoidedAt;

  private record Size(long table, long bytes) {}

  TableSizes(LeaderSession leader) {
    this.leader = leader;
  }

  /** Reads sizes in bytes by object number; 0 for tables that are gone, none for locked ones. */
  Map<Long, Long> read(long[] tables) throws SQLException {
    if (!avoided.isEmpty() && System.nanoTime() - avoidedAt > AVOID_NANOS) {
      avoided.clear();
    }
    try {
      return measure(tables);
    } catch (SQLException e) {
      if (!SqlErrors.isLockConflict(e)) {
        throw e;
      }
      avoidLocked(tables);
      return measure(tables);
    }
  }

  private Map<Long, Long> measure(long[] tables) throws SQLException {
    long[] open = Arrays.stream(tables).filter(table -> !avoided.contains(table)).toArray();
    List<Size> sizes =
        leader.transaction(
            "read the sizes of tables",
            session ->
                session.run(
                    BoundStatement.query(
                        SIZES_OF_TABLES, row -> new Size(row.getLong(1), row.getLong(2)), open)));
    Map<Long, Long> byTable = new HashMap<>();
    sizes.forEach(size -> byTable.put(size.table(), size.bytes()));
    return byTable;
  }

  private void avoidLocked(long[] tables) throws SQLException {
    avoided.addAll(
        leader.transaction(
            "find locked tables",
            session ->
                session.run(BoundStatement.query(LOCKED_TABLES, row -> row.getLong(1), tables))));
    avoidedAt = System.nanoTime();
  }
}
