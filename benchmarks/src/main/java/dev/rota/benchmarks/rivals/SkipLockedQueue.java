package dev.rota.benchmarks.rivals;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * One table with a status column: 0 new, 1 running, 2 done. Takers skip what others have locked.
 */
final class SkipLockedQueue implements Contender {

  private static final String TABLE =
      """
      create table task (id bigint primary key, tenant int, status smallint not null default 0,
                         payload text)""";

  private static final String ADD =
      """
      insert into task (id, tenant, payload)
      select id, ?, ? from unnest(?::bigint[]) as id on conflict (id) do nothing""";

  private static final String TAKE =
      """
      update task set status = 1 where id = any (array(
        select id from task where status = 0 limit ? for update skip locked))
      returning id, tenant, payload""";

  private static final String FINISH = "update task set status = 2 where id = any (?::bigint[])";

  private static final int THREADS = 8;

  private final String url;
  private final Workload workload;
  private final int together;
  private final AtomicLong lastId = new AtomicLong();
  private @Nullable Crew crew;

  /**
   * In a new database.
   *
   * @param together how many tasks are taken and finished at once
   */
  SkipLockedQueue(String url, Workload workload, int together) throws SQLException {
    this.url = url;
    this.workload = workload;
    this.together = together;
    Jdbc.execute(url, TABLE, "create index on task (status)");
  }

  @Override
  public Producer producer() throws SQLException {
    return new Adder(Jdbc.connect(url), workload.payloadText(), lastId);
  }

  @Override
  public void fill(int tasks) throws Exception {
    Filling.fill(this, workload.tenants(), tasks);
  }

  @Override
  public void drain(int tasks) throws Exception {
    Crew hired = crew == null ? new Crew(THREADS) : crew;
    crew = hired;
    AtomicLong left = new AtomicLong(tasks);
    hired.run(member -> work(left));
  }

  private void work(AtomicLong left) throws SQLException {
    try (Connection connection = Jdbc.connect(url);
        PreparedStatement take = connection.prepareStatement(TAKE);
        PreparedStatement finish = connection.prepareStatement(FINISH)) {
      take.setInt(1, together);
      while (left.get() > 0) {
        List<Long> taken = take(take);
        if (!taken.isEmpty()) {
          finish.setObject(1, taken.stream().mapToLong(Long::longValue).toArray());
          finish.executeUpdate();
          left.addAndGet(-taken.size());
        }
      }
    }
  }

  private static List<Long> take(PreparedStatement take) throws SQLException {
    List<Long> taken = new ArrayList<>();
    try (ResultSet rows = take.executeQuery()) {
      while (rows.next()) {
        rows.getInt(2);
        rows.getString(3);
        taken.add(rows.getLong(1));
      }
    }
    return taken;
  }

  @Override
  public Census census() throws SQLException {
    return new Census(
        Jdbc.number(url, "select count(*) from task where status <> 2"),
        Jdbc.number(url, "select count(*) from task where status = 2"));
  }

  @Override
  public void close() {
    if (crew != null) {
      crew.close();
    }
  }

  private static final class Adder implements Producer {
    private final Connection connection;
    private final PreparedStatement add;
    private final AtomicLong lastId;

    Adder(Connection connection, String payload, AtomicLong lastId) throws SQLException {
      this.connection = connection;
      this.add = connection.prepareStatement(ADD);
      this.lastId = lastId;
      add.setString(2, payload);
    }

    @Override
    public void enqueue(int tenant, int tasks) throws SQLException {
      long first = lastId.getAndAdd(tasks) + 1;
      long[] ids = new long[tasks];
      for (int i = 0; i < tasks; i++) {
        ids[i] = first + i;
      }
      add.setInt(1, tenant);
      add.setObject(3, ids);
      add.executeUpdate();
    }

    @Override
    public void close() throws SQLException {
      connection.close();
    }
  }
}
