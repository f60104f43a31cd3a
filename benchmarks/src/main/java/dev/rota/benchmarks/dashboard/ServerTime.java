package dev.rota.benchmarks.dashboard;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * What the connections of a dashboard cost their server: the time in which they run statements, and
 * that of the processor where the server runs on this machine. Used by one thread.
 */
final class ServerTime implements AutoCloseable {

  private static final String SESSIONS =
      """
      select pid, backend_start || ' ' || state_change, now()
        from pg_stat_activity where application_name = ? and backend_type = 'client backend'""";

  private static final String ACTIVE =
      """
      select active_time from pg_stat_database where datname = current_database()""";

  private static final double MILLIS_A_SECOND = 1_000;

  private final Connection connection;

  private ServerTime(Connection connection) {
    this.connection = connection;
  }

  static ServerTime of(String jdbcUrl) throws SQLException {
    return new ServerTime(DriverManager.getConnection(jdbcUrl));
  }

  /**
   * What is known at one moment.
   *
   * @param nanos the moment
   * @param activeMillis how long all sessions of the database have run statements
   * @param processor the time of the processor of each session of the dashboard
   * @param states when each of these sessions began and did something last
   */
  record Look(
      long nanos,
      double activeMillis,
      Map<Integer, Duration> processor,
      Map<Integer, String> states) {

    /** The shares of a core since an earlier look. */
    Shares since(Look before) {
      double seconds = (nanos - before.nanos) / 1e9;
      double used = 0;
      for (Map.Entry<Integer, Duration> each : processor.entrySet()) {
        Duration earlier = before.processor.getOrDefault(each.getKey(), Duration.ZERO);
        used += each.getValue().minus(earlier).toNanos() / 1e9;
      }
      double active = (activeMillis - before.activeMillis) / MILLIS_A_SECOND;
      return new Shares(used / seconds, active / seconds);
    }

    /** How many sessions are new, gone, or did something since an earlier look. */
    long touchedSince(Look before) {
      Map<Integer, String> all = new HashMap<>(before.states);
      all.putAll(states);
      return all.keySet().stream()
          .filter(pid -> !String.valueOf(states.get(pid)).equals(before.states.get(pid)))
          .count();
    }
  }

  /**
   * Shares of a core.
   *
   * @param processor the time of the processor; 0 where the server runs elsewhere
   * @param active the time in which statements ran, with the time in which they waited
   */
  record Shares(double processor, double active) {}

  Look look() throws SQLException {
    Map<Integer, Duration> processor = new HashMap<>();
    Map<Integer, String> states = new HashMap<>();
    try (PreparedStatement statement = connection.prepareStatement(SESSIONS)) {
      statement.setString(1, Viewers.APPLICATION);
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          int pid = rows.getInt(1);
          states.put(pid, rows.getString(2));
          processor.put(pid, processorTime(pid));
        }
      }
    }
    return new Look(System.nanoTime(), active(), processor, states);
  }

  private static Duration processorTime(int pid) {
    return ProcessHandle.of(pid)
        .flatMap(process -> process.info().totalCpuDuration())
        .orElse(Duration.ZERO);
  }

  private double active() throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(ACTIVE);
        ResultSet row = statement.executeQuery()) {
      row.next();
      return row.getDouble(1);
    }
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
