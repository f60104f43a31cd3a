package dev.rota.benchmarks.rivals;

import dev.rota.Rota;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The limit of plain JDBC: the statements of Rota written by hand on Rota's own tables, without a
 * library around them. Each thread has its connection and its own share of the tenants.
 */
final class Floor implements Contender {

  private static final int THREADS = 4;

  private final String url;
  private final RivalWorkload workload;
  private final Manner manner;
  private final Entrance entrance;
  private final List<FloorConsumer> consumers = new ArrayList<>();
  private @Nullable Crew crew;

  /**
   * The way in which tasks are claimed.
   *
   * @param tenants from how many tenants one transaction claims when all have tasks
   * @param tenantsBesideProducers from how many beside producers, where most tenants have none
   * @param inOneFlush whether their claims are sent together
   */
  record Manner(int tenants, int tenantsBesideProducers, boolean inOneFlush) {

    private static final int MOST_TENANTS = 50;
    private static final int TASKS_TOGETHER = 12_000;

    Manner(int tenants, boolean inOneFlush) {
      this(tenants, tenants, inOneFlush);
    }

    /**
     * About twelve thousand tasks in a transaction, of at most fifty tenants. Medians on two cores
     * with one, twelve and fifty tenants together: batches of 10 of 1,000 tenants 38,000, 118,000
     * and 153,000 tasks a second. Batches of 1,000 of 100 tenants: 333,000, 344,000 and 312,000,
     * which are equal within the spread. Batches of 100: 319,000 with ten, 353,000 with fifty.
     * Beside producers a turn round 1,000 tenants must not take a thousand round trips: 91,000 with
     * one, 119,000 with fifty.
     */
    static Manner fastest(RivalWorkload workload) {
      int tenants = Math.max(1, Math.min(MOST_TENANTS, TASKS_TOGETHER / workload.batch()));
      return new Manner(tenants, MOST_TENANTS, true);
    }
  }

  /** The way in which tasks are stored. */
  @FunctionalInterface
  interface Entrance {
    RivalProducer open(String url, String payload) throws SQLException;
  }

  /** Creates the contender in a new database. */
  Floor(String url, RivalWorkload workload, Manner manner, Entrance entrance) {
    this.url = url;
    this.workload = workload;
    this.manner = manner;
    this.entrance = entrance;
    try (Rota rota = Rota.connect(url)) {
      RotaTenants.register(rota, workload.tenants());
    }
  }

  @Override
  public RivalProducer producer() throws SQLException {
    return entrance.open(url, workload.payloadText());
  }

  @Override
  public void fill(int tasks) throws Exception {
    Filling.fill(this, workload.tenants(), tasks);
  }

  @Override
  public void drain(int tasks) throws Exception {
    Crew hired = crew == null ? hire(manner.tenants()) : crew;
    hired.run(member -> consumers.get(member).drain(shareOf(member, hired.size(), tasks)));
  }

  /** The share of a thread; every tenant has the same number of tasks. */
  private long shareOf(int member, int members, long tasks) {
    int tenants = workload.tenants();
    int own = tenants / members + (member < tenants % members ? 1 : 0);
    return tasks / tenants * own;
  }

  /** Starts consumers. Connections and statements are kept, as in a process that runs for long. */
  private Crew hire(int together) throws SQLException {
    Crew hired = new Crew(Math.min(THREADS, workload.tenants()));
    for (int i = 0; i < hired.size(); i++) {
      consumers.add(
          new FloorConsumer(
              url, groupsOf(i, hired.size(), together), manner.inOneFlush(), workload.batch()));
    }
    crew = hired;
    return hired;
  }

  private List<List<Integer>> groupsOf(int member, int members, int together) {
    List<List<Integer>> groups = new ArrayList<>();
    List<Integer> group = new ArrayList<>();
    for (int tenant = member; tenant < workload.tenants(); tenant += members) {
      group.add(tenant);
      if (group.size() == together) {
        groups.add(group);
        group = new ArrayList<>();
      }
    }
    if (!group.isEmpty()) {
      groups.add(group);
    }
    return groups;
  }

  @Override
  public Consumption consume() throws SQLException {
    return new FloorConsumption(
        crew == null ? hire(manner.tenantsBesideProducers()) : crew, consumers);
  }

  @Override
  public Census census() throws SQLException {
    return RotaTenants.census(url);
  }

  @Override
  public void close() throws SQLException {
    if (crew != null) {
      crew.close();
    }
    for (FloorConsumer consumer : consumers) {
      consumer.close();
    }
  }
}
