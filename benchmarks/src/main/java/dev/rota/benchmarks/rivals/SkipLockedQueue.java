package dev.rota.benchmarks.rivals;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A queue in one table with a status column: 0 new, 1 running, 2 done. Takers skip tasks that
 * others have locked.
 *
 * <p>The index holds new tasks only. In one on the status itself, each of the two changes of status
 * adds an entry. Each take then walks over all entries that died since the last vacuum. The table
 * is analyzed after it was filled, before the measurement. {@link SkipLockedTaker} has further
 * means to make takes cheap.
 */
final class SkipLockedQueue implements Contender {

  private static final String TABLE =
      """
      create table task (id bigint primary key, tenant int, status smallint not null default 0,
                         payload text)""";

  private static final String INDEX = "create index on task (id) where status = 0";

  private static final String ADD =
      """
      insert into task (id, tenant, payload)
      select id, ?, ? from unnest(?::bigint[]) as id on conflict (id) do nothing""";

  private static final int THREADS = 8;

  private final String url;
  private final RivalWorkload workload;
  private final int together;
  private final AtomicLong lastId = new AtomicLong();
  private final List<SkipLockedTaker> takers = new ArrayList<>();
  private @Nullable Crew crew;

  /**
   * Creates the contender in a new database.
   *
   * @param together how many tasks are taken and finished at once
   */
  SkipLockedQueue(String url, RivalWorkload workload, int together) throws SQLException {
    this.url = url;
    this.workload = workload;
    this.together = together;
    Jdbc.execute(url, TABLE, INDEX);
  }

  @Override
  public RivalProducer producer() throws SQLException {
    return new Adder(Jdbc.connect(url), workload.payloadText(), lastId);
  }

  @Override
  public void fill(int tasks) throws Exception {
    Filling.fill(this, workload.tenants(), tasks);
    Jdbc.execute(url, "analyze task");
  }

  @Override
  public void drain(int tasks) throws Exception {
    Crew hired = crew == null ? hire() : crew;
    AtomicLong left = new AtomicLong(tasks);
    hired.run(member -> takers.get(member).drain(left));
  }

  /** Starts takers. Connections and statements are kept, as in a process that runs for long. */
  private Crew hire() throws SQLException {
    Crew hired = new Crew(THREADS);
    for (int i = 0; i < THREADS; i++) {
      takers.add(new SkipLockedTaker(url, together));
    }
    crew = hired;
    return hired;
  }

  @Override
  public Census census() throws SQLException {
    return new Census(
        Jdbc.number(url, "select count(*) from task where status <> 2"),
        Jdbc.number(url, "select count(*) from task where status = 2"));
  }

  @Override
  public void close() throws SQLException {
    if (crew != null) {
      crew.close();
    }
    for (SkipLockedTaker taker : takers) {
      taker.close();
    }
  }

  private static final class Adder implements RivalProducer {
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
