package dev.rota.internal.worker;

import dev.rota.DeliveryMode;
import dev.rota.internal.Claimer;
import dev.rota.internal.RotaSettings;
import dev.rota.internal.db.BatchEnd;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import org.jspecify.annotations.Nullable;

/** The settings of one worker. Filled by the builder, then never changed. */
final class WorkerSettings {

  private static final int TRANSACTIONAL_BATCH = 50;

  /** As many claims fit into what may be held. */
  private static final int CLAIMS_HELD = 8;

  /** By default one handler of so many is kept from long tasks. */
  private static final int HANDLERS_OF_ONE = 16;

  private static final int LEAST_WITH_HEADROOM = 8;

  private final RotaSettings rota;
  private final Handlers handlers;
  private final KindRules rules;
  private DeliveryMode mode = DeliveryMode.LEASED;
  private int concurrency = Runtime.getRuntime().availableProcessors();
  private @Nullable Integer headroom;
  private @Nullable ExecutorService executor;
  private int batchSize = 1_000;
  private Duration pollInterval = Duration.ofMillis(100);
  private long heldBytes = Math.max(Runtime.getRuntime().maxMemory() / 4, 1 << 20);
  private boolean hourlyStatistics;

  /** With the settings of its Rota where it has none of its own. */
  WorkerSettings(RotaSettings rota) {
    this(rota, new Handlers(), new KindRules(rota.retry()));
  }

  private WorkerSettings(RotaSettings rota, Handlers handlers, KindRules rules) {
    this.rota = rota;
    this.handlers = handlers;
    this.rules = rules;
  }

  WorkerSettings copy() {
    WorkerSettings copy = new WorkerSettings(rota, new Handlers(handlers), new KindRules(rules));
    copy.mode = mode;
    copy.concurrency = concurrency;
    copy.headroom = headroom;
    copy.executor = executor;
    copy.batchSize = batchSize;
    copy.pollInterval = pollInterval;
    copy.heldBytes = heldBytes;
    copy.hourlyStatistics = hourlyStatistics;
    return copy;
  }

  /** The groups of kinds that are claimed and limited apart from each other. */
  List<KindGroup> groups() {
    return rules.groups(handlers.kinds());
  }

  /** What claims a group. One of them looks for kinds that none of them knows. */
  Claimer claimer(Claimer.Factory claimers, int group, BatchEnd end) {
    Set<String> known = group == 0 ? handlers.kinds() : null;
    return claimers.claimer(groups().get(group).kinds(), end, known, claimBytes());
  }

  void validate() {
    if (handlers.kinds().isEmpty()) {
      throw new IllegalStateException("a worker needs a handler: call handle(kind, handler)");
    }
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
    if (headroom() >= concurrency) {
      throw new IllegalStateException(
          "headroom of %d leaves no handler for long tasks: it must be less than concurrency, %d"
              .formatted(headroom(), concurrency));
    }
    rules.requireKnown(handlers.kinds());
  }

  /** The settings of its Rota. */
  RotaSettings rota() {
    return rota;
  }

  Handlers handlers() {
    return handlers;
  }

  DeliveryMode mode() {
    return mode;
  }

  void mode(DeliveryMode value) {
    mode = value;
  }

  int concurrency() {
    return concurrency;
  }

  void concurrency(int value) {
    concurrency = value;
  }

  /** How many handlers are kept from long tasks. */
  int headroom() {
    if (headroom != null) {
      return headroom;
    }
    return concurrency < LEAST_WITH_HEADROOM ? 0 : Math.max(1, concurrency / HANDLERS_OF_ONE);
  }

  void headroom(int value) {
    headroom = value;
  }

  @Nullable ExecutorService executor() {
    return executor;
  }

  void executor(ExecutorService value) {
    executor = value;
  }

  /** A transaction that runs handlers holds the tenant's gate all the while, so it stays short. */
  int batchSize() {
    return mode == DeliveryMode.TRANSACTIONAL
        ? Math.min(batchSize, TRANSACTIONAL_BATCH)
        : batchSize;
  }

  void batchSize(int value) {
    batchSize = value;
  }

  /** How many bytes of tasks to hold at most. */
  long heldBytes() {
    return heldBytes;
  }

  void heldBytes(long value) {
    heldBytes = value;
  }

  /** How many of them one claim may bring: several threads claim at a time. */
  long claimHeldBytes() {
    return heldBytes / CLAIMS_HELD;
  }

  /** The same in bytes of payloads as the database counts them, at two bytes a character. */
  long claimBytes() {
    return claimHeldBytes() / 2;
  }

  KindRules rules() {
    return rules;
  }

  Duration pollInterval() {
    return pollInterval;
  }

  void pollInterval(Duration value) {
    pollInterval = value;
  }

  boolean hourlyStatistics() {
    return hourlyStatistics;
  }

  void hourlyStatistics(boolean value) {
    hourlyStatistics = value;
  }
}
