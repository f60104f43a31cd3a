package dev.rota.benchmarks;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Brings a new server to the state of one that has run for a while, so that the order of the
 * contenders does not matter.
 *
 * <p>A new server touches its shared memory for the first time and creates each file of its log,
 * filled with zeros. Seen with {@link BulkEnqueueBenchmark}: the first contender, Rota or the
 * floor, reached half of its rate as the second.
 */
final class ServerWarmUp {

  private static final String DATABASE = "rota_benchmark_warm_up";

  /** A row fills a page; as many pages as the server has buffers. */
  private static final String FILL =
      """
      insert into filler
      select repeat('x', 8000)
        from generate_series(1, (select setting::int from pg_settings where name = 'shared_buffers'))""";

  private ServerWarmUp() {}

  /** Fills all buffers and about as much log, which checkpoints then keep for reuse. */
  static void run(String serverUrl) throws SQLException {
    TrialDatabase.execute(serverUrl, "drop database if exists " + DATABASE + " with (force)");
    TrialDatabase.execute(serverUrl, "create database " + DATABASE);
    try (Connection connection =
            DriverManager.getConnection(TrialDatabase.withDatabase(serverUrl, DATABASE));
        Statement statement = connection.createStatement()) {
      statement.execute("create table filler (body text)");
      statement.execute("alter table filler alter body set storage plain");
      statement.execute(FILL);
      statement.execute("checkpoint");
    }
    TrialDatabase.execute(serverUrl, "drop database " + DATABASE);
  }
}
