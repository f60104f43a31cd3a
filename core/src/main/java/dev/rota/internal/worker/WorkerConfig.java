package dev.rota.internal.worker;

import dev.rota.DeliveryMode;
import dev.rota.internal.claim.Claimer;
import dev.rota.internal.config.RotaConfig;
import dev.rota.internal.schema.BatchEnd;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import org.jspecify.annotations.Nullable;

/**
 * The settings of one worker.
 *
 * @param rota the settings of its Rota
 * @param handlers its handlers
 * @param rules what holds for each kind
 * @param running how handlers run
 * @param claiming how work is found and claimed
 */
public record WorkerConfig(
    RotaConfig rota, Handlers handlers, KindSettings rules, Running running, Claiming claiming) {

  private static final int TRANSACTIONAL_BATCH = 50;

  /** The number of claims that fit into the held bytes. */
  private static final int CLAIMS_HELD = 8;

  /**
   * How handlers run.
   *
   * @param mode what the worker promises
   * @param concurrency how many handlers run at once
   * @param headroom how many handlers are kept from long tasks
   * @param executor where handlers run; null for a pool of the worker's own
   * @param hourlyStatistics whether the worker adds up what becomes of attempts
   */
  public record Running(
      DeliveryMode mode,
      int concurrency,
      int headroom,
      @Nullable ExecutorService executor,
      boolean hourlyStatistics) {}

  /**
   * How work is found and claimed.
   *
   * @param batchSize the most tasks of a claim from one tenant
   * @param heldBytes how many bytes of tasks to hold at most
   * @param pollInterval the longest pause between two looks while there is nothing to do
   */
  public record Claiming(int batchSize, long heldBytes, Duration pollInterval) {}

  /** Checks that the settings fit together. */
  public WorkerConfig {
    if (handlers.kinds().isEmpty()) {
      throw new IllegalStateException("a worker needs a handler: call handle(kind, handler)");
    }
    requireFitting(handlers, running.mode());
    if (running.headroom() >= running.concurrency()) {
      throw new IllegalStateException(
          "headroom of %d leaves no handler for long tasks: it must be less than concurrency, %d"
              .formatted(running.headroom(), running.concurrency()));
    }
    rules.requireKnown(handlers.kinds());
  }

  private static void requireFitting(Handlers handlers, DeliveryMode mode) {
    boolean transactional = mode == DeliveryMode.TRANSACTIONAL;
    if (transactional ? handlers.hasOthers() : handlers.hasTransactional()) {
      throw new IllegalStateException(
          transactional
              ? "delivery TRANSACTIONAL takes only handlers given to handleInTransaction or"
                  + " stageInTransaction"
              : "handleInTransaction needs delivery(TRANSACTIONAL), as stageInTransaction does, not "
                  + mode);
    }
    if (mode == DeliveryMode.FIRE_AND_FORGET && handlers.hasStages()) {
      throw new IllegalStateException(
          "stages of a pipeline need delivery LEASED or TRANSACTIONAL: FIRE_AND_FORGET settles"
              + " nothing, so that no task could go to its next stage");
    }
  }

  /** The groups of kinds that are claimed and limited apart from each other. */
  public List<KindQueue.Group> groups() {
    return rules.groups(handlers.kinds());
  }

  /** What claims a group. One of them looks for kinds that none of them knows. */
  public Claimer claimer(Claimer.Factory claimers, int group, BatchEnd end) {
    Set<String> known = group == 0 ? handlers.kinds() : null;
    return claimers.claimer(groups().get(group).kinds(), end, known, claimBytes());
  }

  public DeliveryMode mode() {
    return running.mode();
  }

  public int concurrency() {
    return running.concurrency();
  }

  /**
   * The batch size. A transaction that runs handlers holds the tenant's gate throughout, so it
   * stays short.
   */
  public int batchSize() {
    return mode() == DeliveryMode.TRANSACTIONAL
        ? Math.min(claiming.batchSize(), TRANSACTIONAL_BATCH)
        : claiming.batchSize();
  }

  /** How many bytes of tasks one claim may bring: several threads claim at a time. */
  long claimHeldBytes() {
    return claiming.heldBytes() / CLAIMS_HELD;
  }

  /** The same in bytes of payloads as the database counts them, at two bytes a character. */
  private long claimBytes() {
    return claimHeldBytes() / 2;
  }
}
