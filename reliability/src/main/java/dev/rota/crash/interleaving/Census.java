package dev.rota.crash.interleaving;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The location of all tasks of the tenant at one moment, and the ends of all batches.
 *
 * @param rows the rows of ring, wait table and history, and of tasks that wait for others
 * @param ends the ends of the batches, by their numbers; 0 for open ones
 */
public record Census(List<Row> rows, Map<Long, Integer> ends) {

  /**
   * A row.
   *
   * @param id the task
   * @param place {@code pending}, {@code waiting}, {@code held}, or the state of the attempt
   * @param batch the batch that claimed it; 0 if none did
   * @param attempt the number of the attempt, or of earlier ones
   * @param key its key, if it has one
   */
  public record Row(long id, String place, long batch, int attempt, @Nullable String key) {

    /** Whether the task has yet to run, or runs. */
    public boolean isLive() {
      return switch (place) {
        case "pending", "waiting", "running", "held" -> true;
        default -> false;
      };
    }

    /** Whether the task has ended with this row. */
    public boolean isFinal() {
      return switch (place) {
        case "done", "dead", "cancelled" -> true;
        default -> false;
      };
    }

    /** Whether this was an attempt that another one must follow. */
    boolean isSpent() {
      return place.equals("failed") || place.equals("lost");
    }

    boolean isPending() {
      return place.equals("pending") || place.equals("waiting") || place.equals("held");
    }
  }

  /** The rows of one place. */
  public List<Row> in(String place) {
    return rows.stream().filter(row -> row.place().equals(place)).toList();
  }

  Map<Long, List<Row>> byTask() {
    return rows.stream().collect(Collectors.groupingBy(Row::id, TreeMap::new, Collectors.toList()));
  }

  /** Takes a census, with one snapshot for the tasks, unless another session has locked a table. */
  static Optional<Census> take(Connection connection, Views views) throws SQLException {
    return take(connection, views, views.lock() + " nowait");
  }

  /**
   * Takes a census when all actors are at rest. A table may still be locked for a moment, by the
   * server's own vacuum of the wait table.
   */
  static Optional<Census> takeAtRest(Connection connection, Views views) throws SQLException {
    return take(connection, views, "set local lock_timeout = '10s'; " + views.lock());
  }

  private static Optional<Census> take(Connection connection, Views views, String lock)
      throws SQLException {
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      statement.execute(lock);
      return Optional.of(new Census(rows(statement, views.query()), ends(statement)));
    } catch (SQLException e) {
      if ("55P03".equals(e.getSQLState())) {
        return Optional.empty();
      }
      if ("42P01".equals(e.getSQLState())) {
        connection.rollback();
        return Optional.of(ofParked(connection));
      }
      throw e;
    } finally {
      connection.rollback();
      connection.setAutoCommit(true);
    }
  }

  /** The census of a tenant without tables: whatever it had is gone. */
  private static Census ofParked(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      return new Census(List.of(), ends(statement));
    }
  }

  /** The statements of a census. */
  record Views(String lock, String query) {

    static Views of(int tenant, boolean graphs) {
      String schema = "rota_" + tenant;
      String held = schema + ".task_held_" + tenant;
      return new Views(
          "lock table %1$s.task_init_%2$d, %1$s.task_hist_%2$d, rota.task_batch"
                  .formatted(schema, tenant)
              + (graphs ? ", " + held : "")
              + " in access share mode",
          """
          select id, state, 0, attempt, key from %1$s.task_init_%2$d
          union all
          select id, state, batch_id, attempt, key from %1$s.task_hist_%2$d"""
                  .formatted(schema, tenant)
              + (graphs ? " union all select id, 'held', 0, 0, null from " + held : ""));
    }
  }

  private static List<Row> rows(Statement statement, String query) throws SQLException {
    List<Row> rows = new ArrayList<>();
    try (ResultSet result = statement.executeQuery(query)) {
      while (result.next()) {
        rows.add(
            new Row(
                result.getLong(1),
                result.getString(2),
                result.getLong(3),
                result.getInt(4),
                result.getString(5)));
      }
    }
    return rows;
  }

  private static Map<Long, Integer> ends(Statement statement) throws SQLException {
    Map<Long, Integer> ends = new HashMap<>();
    try (ResultSet result = statement.executeQuery("select id, ended from rota.task_batch")) {
      while (result.next()) {
        if (ends.put(result.getLong(1), result.getInt(2)) != null) {
          throw new Violation("batch " + result.getLong(1) + " stands in the ledger twice");
        }
      }
    }
    return ends;
  }
}
