package dev.rota.benchmarks.rivals;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Numbers of one of Rota's sequences for one connection, drawn a hundred blocks at a time. */
final class NumberBlocks implements AutoCloseable {

  private static final int BLOCKS = 100;

  private final PreparedStatement draw;
  private final int blockSize;
  private Long[] ends = new Long[0];
  private int block;
  private long next;
  private long end;

  NumberBlocks(Connection connection, String sequence, int blockSize) throws SQLException {
    this.draw =
        connection.prepareStatement(
            "select array_agg(nextval('%s')) from generate_series(1, %d)"
                .formatted(sequence, BLOCKS));
    this.blockSize = blockSize;
  }

  static NumberBlocks ofTasks(Connection connection) throws SQLException {
    return new NumberBlocks(connection, "rota.task_id", 1_024);
  }

  static NumberBlocks ofBatches(Connection connection) throws SQLException {
    return new NumberBlocks(connection, "rota.batch_id", 128);
  }

  long take() throws SQLException {
    if (next == end) {
      openBlock();
    }
    return next++;
  }

  private void openBlock() throws SQLException {
    if (block == ends.length) {
      try (ResultSet row = draw.executeQuery()) {
        row.next();
        Array drawn = row.getArray(1);
        ends = (Long[]) drawn.getArray();
      }
      block = 0;
    }
    end = ends[block++] + 1;
    next = end - blockSize;
  }

  @Override
  public void close() throws SQLException {
    draw.close();
  }
}
