package dev.rota.benchmarks.rivals;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;

/** Reads the tasks of one batch from the result, all columns of all rows. */
final class FloorRows {

  private final long batch;
  private final int tenant;
  private final List<Row> rows = new ArrayList<>();

  private record Row(String place, long id, OffsetDateTime createdAt, int attempt, Work work) {}

  private record Work(String kind, String payload) {}

  FloorRows(long batch, int tenant) {
    this.batch = batch;
    this.tenant = tenant;
  }

  /** Reads all rows; returns the block of the slot up to which tasks were claimed. */
  long read(ResultSet result) throws SQLException {
    long frontier = 0;
    while (result.next()) {
      if (rows.isEmpty()) {
        frontier = blockOf(result.getString(8));
      }
      result.getLong(4);
      rows.add(
          new Row(
              result.getString(1),
              result.getLong(2),
              result.getObject(3, OffsetDateTime.class),
              result.getInt(5),
              new Work(result.getString(6), result.getString(7))));
    }
    return frontier;
  }

  long batch() {
    return batch;
  }

  int tenant() {
    return tenant;
  }

  int size() {
    return rows.size();
  }

  /**
   * The lowest block of the batch. A batch is written at once, so that its first row has the lowest
   * block.
   */
  long firstBlock() {
    return blockOf(rows.get(0).place());
  }

  long lastBlock() {
    return blockOf(rows.get(rows.size() - 1).place());
  }

  private static long blockOf(String place) {
    return Long.parseLong(place.substring(1, place.indexOf(',')));
  }
}
