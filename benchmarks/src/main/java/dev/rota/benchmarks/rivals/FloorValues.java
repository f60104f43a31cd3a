package dev.rota.benchmarks.rivals;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/**
 * Stores a batch by a JDBC batch of single inserts, which the driver rewrites into inserts of many
 * rows.
 */
final class FloorValues implements RivalProducer {

  private static final String INSERT =
      """
      insert into rota_%1$d.task_init_%1$d_0 (id, created_at, parent_id, attempt, kind, payload)
      values (?, now(), null, 0, ?, ?)""";

  private final Connection connection;
  private final NumberBlocks ids;
  private final String payload;

  FloorValues(String url, String payload) throws SQLException {
    // The rewritten statements use the driver's cache, which must be on for them.
    this.connection = DriverManager.getConnection(Jdbc.with(url, "reWriteBatchedInserts=true"));
    connection.setAutoCommit(false);
    this.ids = NumberBlocks.ofTasks(connection);
    this.payload = payload;
  }

  @Override
  public void enqueue(int tenant, int tasks) throws SQLException {
    try (PreparedStatement insert = connection.prepareStatement(INSERT.formatted(tenant + 1))) {
      for (int i = 0; i < tasks; i++) {
        insert.setLong(1, ids.take());
        insert.setString(2, RivalWorkload.KIND);
        insert.setString(3, payload);
        insert.addBatch();
      }
      insert.executeBatch();
      connection.commit();
    }
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
