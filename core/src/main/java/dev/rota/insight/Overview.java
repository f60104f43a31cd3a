package dev.rota.insight;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Sums over all tenants. Numbers of tasks come from counters of the server, which lag behind by up
 * to a second, include tasks of open transactions, and begin at 0 after a crash of the server.
 * Immutable.
 *
 * @param readAt when the counters were read, by the clock of the database
 * @param tenants how many tenants there are
 * @param estimated the tasks of all of them
 * @param flow how many tasks come and go; empty until it was read twice
 * @param alive the processes that are alive
 */
public record Overview(
    Instant readAt, Tenants tenants, Tasks estimated, Optional<Flow> flow, Alive alive) {

  /**
   * Numbers of tenants.
   *
   * @param all how many are registered
   * @param parked how many of them have no tables
   * @param closed how many of them refuse new tasks
   */
  public record Tenants(int all, int parked, int closed) {}

  /**
   * Tasks that have not ended.
   *
   * @param pending tasks ready to run
   * @param waiting delayed tasks, and retries whose time has not come
   * @param running tasks in open batches, including those that have ended there
   * @param openBatches batches that are claimed and not closed
   * @param oldestPending how long the oldest pending task has been ready at least, as far as this
   *     {@link dev.rota.Rota} looked: it counts from its first look at the task, so it needs looks
   *     before; empty if no task is pending
   */
  public record Tasks(
      long pending,
      long waiting,
      long running,
      long openBatches,
      Optional<Duration> oldestPending) {}

  /**
   * Processes that are alive.
   *
   * @param workers how many processes that hold batches have sent a heartbeat within their lease
   * @param leads whether a daemon leads
   */
  public record Alive(int workers, boolean leads) {}

  /**
   * How many tasks came and went between two looks.
   *
   * @param time how long that was
   * @param arrived tasks that became pending a second: new ones, delayed ones and retries
   * @param claimed tasks that workers claimed a second
   */
  public record Flow(Duration time, double arrived, double claimed) {}
}
