package dev.rota.benchmarks.rivals;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Claims and settles for some of the tenants, in turns, on one connection. Used by one thread. */
final class FloorConsumer implements AutoCloseable {

  private static final String SETTLE =
      """
      update rota.task_batch_1 set closed_at = now(), ended = 1
       where id = any (?::bigint[]) and ended = 0 returning id""";

  /** The limit of one settle, which comes first: the number of batches, or of tasks. */
  private static final int BATCHES_TOGETHER = 200;

  private static final int TASKS_TOGETHER = 20_000;

  private final Connection connection;
  private final PreparedStatement settle;
  private final List<FloorGroup> groups = new ArrayList<>();
  private final List<Long> open = new ArrayList<>();
  private final int batch;
  private int tasksOpen;
  private long settled;
  private int turn;

  FloorConsumer(String url, List<List<Integer>> groups, boolean inOneFlush, int batch)
      throws SQLException {
    this.connection = Jdbc.connect(url);
    this.batch = batch;
    try (Statement statement = connection.createStatement()) {
      statement.execute("set enable_seqscan = off");
      statement.execute("set jit = off");
    }
    connection.setAutoCommit(false);
    this.settle = connection.prepareStatement(SETTLE);
    NumberBlocks batchIds = NumberBlocks.ofBatches(connection);
    for (List<Integer> tenants : groups) {
      this.groups.add(new FloorGroup(connection, batchIds, tenants, inOneFlush));
    }
  }

  /** Runs a number of tasks and settles them all. */
  void drain(long tasks) throws SQLException {
    long left = tasks;
    while (left > 0) {
      left -= visitNext();
    }
    settle();
  }

  /** Runs one transaction for the group whose turn it is; returns the number of claimed tasks. */
  int visitNext() throws SQLException {
    int claimed = groups.get(turn).claim(batch, open);
    turn = (turn + 1) % groups.size();
    tasksOpen += claimed;
    if (open.size() >= BATCHES_TOGETHER || tasksOpen >= TASKS_TOGETHER) {
      settle();
    }
    return claimed;
  }

  /** Records all claimed tasks as done. */
  void settle() throws SQLException {
    settle.setObject(1, open.stream().mapToLong(Long::longValue).toArray());
    settle.execute();
    connection.commit();
    open.clear();
    settled += tasksOpen;
    tasksOpen = 0;
  }

  /** The number of transactions that visit every tenant once. */
  int groups() {
    return groups.size();
  }

  /** The number of tasks settled since the last call. */
  long takeSettled() {
    long taken = settled;
    settled = 0;
    return taken;
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
