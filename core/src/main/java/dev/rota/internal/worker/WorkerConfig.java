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

/** The settings of one worker. Filled by the builder, then never changed. */
public final class WorkerConfig {

  private static final int TRANSACTIONAL_BATCH = 50;

  /** As many claims fit into what may be held. */
  private static final int CLAIMS_HELD = 8;

  /** By default one handler of so many is kept from long tasks. */
  private static final int HANDLERS_OF_ONE = 16;

  private static final int LEAST_WITH_HEADROOM = 8;

  private final RotaConfig rota;
  private final Handlers handlers;
  private final KindSettings rules;
  private DeliveryMode mode = DeliveryMode.LEASED;
  private int concurrency = Runtime.getRuntime().availableProcessors();
  private @Nullable Integer headroom;
  private @Nullable ExecutorService executor;
  private int batchSize = 1_000;
  private Duration pollInterval = Duration.ofMillis(100);
  private long heldBytes = Math.max(Runtime.getRuntime().maxMemory() / 4, 1 << 20);
  private boolean hourlyStatistics;

  /** With the settings of its Rota where it has none of its own. */
  public WorkerConfig(RotaConfig rota) {
    this(rota, new Handlers(), new KindSettings(rota.retry()));
  }

  private WorkerConfig(RotaConfig rota, Handlers handlers, KindSettings rules) {
    this.rota = rota;
    this.handlers = handlers;
    this.rules = rules;
  }

  public WorkerConfig copy() {
    WorkerConfig copy = new WorkerConfig(rota, new Handlers(handlers), new KindSettings(rules));
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
  public List<KindGroup> groups() {
    return rules.groups(handlers.kinds());
  }

  /** What claims a group. One of them looks for kinds that none of them knows. */
  public Claimer claimer(Claimer.Factory claimers, int group, BatchEnd end) {
    Set<String> known = group == 0 ? handlers.kinds() : null;
    return claimers.claimer(groups().get(group).kinds(), end, known, claimBytes());
  }

  public void validate() {
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
  public RotaConfig rota() {
    return rota;
  }

  public Handlers handlers() {
    return handlers;
  }

  public DeliveryMode mode() {
    return mode;
  }

  public void mode(DeliveryMode value) {
    mode = value;
  }

  public int concurrency() {
    return concurrency;
  }

  public void concurrency(int value) {
    concurrency = value;
  }

  /** How many handlers are kept from long tasks. */
  public int headroom() {
    if (headroom != null) {
      return headroom;
    }
    return concurrency < LEAST_WITH_HEADROOM ? 0 : Math.max(1, concurrency / HANDLERS_OF_ONE);
  }

  public void headroom(int value) {
    headroom = value;
  }

  @Nullable
  public ExecutorService executor() {
    return executor;
  }

  public void executor(ExecutorService value) {
    executor = value;
  }

  /** A transaction that runs handlers holds the tenant's gate all the while, so it stays short. */
  public int batchSize() {
    return mode == DeliveryMode.TRANSACTIONAL
        ? Math.min(batchSize, TRANSACTIONAL_BATCH)
        : batchSize;
  }

  public void batchSize(int value) {
    batchSize = value;
  }

  /** How many bytes of tasks to hold at most. */
  long heldBytes() {
    return heldBytes;
  }

  public void heldBytes(long value) {
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

  public KindSettings rules() {
    return rules;
  }

  public Duration pollInterval() {
    return pollInterval;
  }

  public void pollInterval(Duration value) {
    pollInterval = value;
  }

  public boolean hourlyStatistics() {
    return hourlyStatistics;
  }

  public void hourlyStatistics(boolean value) {
    hourlyStatistics = value;
  }
}
