package dev.rota.micrometer;

import dev.rota.spi.DaemonLoad;
import dev.rota.spi.EndedAttempt;
import dev.rota.spi.EndedAttempt.Ending;
import dev.rota.spi.TaskObserver;
import dev.rota.spi.WorkerLoad;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Timer;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Measures what an observer is told. Thread-safe. */
final class MeterObserver implements TaskObserver {

  private static final String SUCCEEDED = "ok";
  private static final String FAILED = "failed";

  private final BoundedTags<KindMeters> kinds;
  private final BoundedTags<TenantMeters> tenants;
  private final boolean metersTenants;
  private final ProcessGauges gauges;

  /** The timers of enqueues that succeeded, and of those that failed, by their paths. */
  private final Map<EnqueuePath, Timer> stored;

  private final Map<EnqueuePath, Timer> refused;
  private final Timer claimedTasks;
  private final Timer claimedNothing;
  private final Timer claimFailed;
  private final Counter tasksClaimed;
  private final Counter batchesClaimed;
  private final Timer settled;
  private final Timer settleFailed;
  private final Timer settleDelay;
  private final Counter batchesLost;
  private final Counter tasksLost;

  /**
   * How many values tags may have.
   *
   * @param kinds kinds with a value of their own
   * @param errors exceptions of a kind with a value of their own
   * @param tenants tenants with a value of their own; 0 for no meters of tenants
   */
  record Limits(int kinds, int errors, int tenants) {}

  /** The meters of one tenant. */
  private record TenantMeters(Counter enqueued, Map<Ending, Counter> ended) {

    static TenantMeters of(Meters meters, String tenant) {
      return new TenantMeters(
          meters.counter(RotaMeter.TENANT_ENQUEUED, tenant),
          Meters.ofEach(
              Ending.class,
              each -> meters.counter(RotaMeter.TENANT_ENDED, tenant, Meters.tag(each))));
    }
  }

  MeterObserver(Meters meters, Limits limits) {
    this.kinds =
        new BoundedTags<>(limits.kinds(), kind -> new KindMeters(meters, kind, limits.errors()));
    this.tenants = new BoundedTags<>(limits.tenants(), tenant -> TenantMeters.of(meters, tenant));
    this.metersTenants = limits.tenants() > 0;
    this.gauges = new ProcessGauges(meters, limits.kinds());
    this.stored = enqueues(meters, SUCCEEDED);
    this.refused = enqueues(meters, FAILED);
    this.claimedTasks = meters.timer(RotaMeter.CLAIM, "tasks");
    this.claimedNothing = meters.timer(RotaMeter.CLAIM, "empty");
    this.claimFailed = meters.timer(RotaMeter.CLAIM, FAILED);
    this.tasksClaimed = meters.counter(RotaMeter.TASKS_CLAIMED);
    this.batchesClaimed = meters.counter(RotaMeter.BATCHES_CLAIMED);
    this.settled = meters.timer(RotaMeter.SETTLE, SUCCEEDED);
    this.settleFailed = meters.timer(RotaMeter.SETTLE, FAILED);
    this.settleDelay = meters.timer(RotaMeter.SETTLE_DELAY);
    this.batchesLost = meters.counter(RotaMeter.BATCHES_LOST);
    this.tasksLost = meters.counter(RotaMeter.TASKS_LOST);
  }

  private static Map<EnqueuePath, Timer> enqueues(Meters meters, String outcome) {
    return Meters.ofEach(
        EnqueuePath.class, path -> meters.timer(RotaMeter.ENQUEUE, Meters.tag(path), outcome));
  }

  @Override
  public void enqueued(Enqueued enqueued) {
    Map<EnqueuePath, Timer> timers = enqueued.error() == null ? stored : refused;
    valueOf(timers, enqueued.path()).record(enqueued.nanos(), TimeUnit.NANOSECONDS);
    enqueued.kinds().forEach((kind, tasks) -> kinds.of(kind).enqueued().increment(tasks));
    if (metersTenants && enqueued.error() == null) {
      int tasks = enqueued.kinds().values().stream().mapToInt(Integer::intValue).sum();
      tenants.of(enqueued.tenant()).enqueued.increment(tasks);
    }
  }

  @Override
  public void claimed(Claimed claimed) {
    Timer timer =
        claimed.failed() ? claimFailed : claimed.tasks() > 0 ? claimedTasks : claimedNothing;
    timer.record(claimed.nanos(), TimeUnit.NANOSECONDS);
    tasksClaimed.increment(claimed.tasks());
    batchesClaimed.increment(claimed.batches());
  }

  /** Gauges and ended attempts say what there is to measure. */
  @Override
  public HandlerCalls handlerCalls() {
    return HandlerCalls.NONE;
  }

  /** Tasks of one kind and ending mostly come in a row: they are counted together. */
  @Override
  public void ended(List<? extends EndedAttempt> attempts) {
    int first = 0;
    for (int i = 1; i <= attempts.size(); i++) {
      if (i == attempts.size() || !isAlike(attempts.get(first), attempts.get(i))) {
        ended(attempts.get(first), attempts.subList(first, i));
        first = i;
      }
    }
  }

  private static boolean isAlike(EndedAttempt one, EndedAttempt other) {
    return one.ending() == other.ending() && one.kind().equals(other.kind());
  }

  private void ended(EndedAttempt sample, List<? extends EndedAttempt> alike) {
    KindMeters kind = kinds.of(sample.kind());
    Ending ending = sample.ending();
    valueOf(kind.ended(), ending).increment(alike.size());
    if (metersTenants) {
      valueOf(tenants.of(sample.tenant()).ended, ending).increment(alike.size());
    }
    if (ending == Ending.RELEASED) {
      return;
    }
    Timer run = kind.run(ending);
    for (EndedAttempt each : alike) {
      run.record(each.runNanos(), TimeUnit.NANOSECONDS);
      if (each.waitNanos() >= 0) {
        kind.waiting().record(each.waitNanos(), TimeUnit.NANOSECONDS);
      }
    }
    if (ending == Ending.FAILED || ending == Ending.DEAD) {
      alike.forEach(each -> kind.error(errorOf(each)).increment());
    }
  }

  /** The meter of a constant; each constant has one. */
  private static <E, M> M valueOf(Map<E, M> meters, E constant) {
    return Objects.requireNonNull(meters.get(constant));
  }

  private static String errorOf(EndedAttempt attempt) {
    String error = attempt.error();
    return error == null ? BoundedTags.OTHER : error;
  }

  @Override
  public void settled(Settled one) {
    (one.failed() ? settleFailed : settled).record(one.nanos(), TimeUnit.NANOSECONDS);
    if (one.delayNanos() >= 0) {
      settleDelay.record(one.delayNanos(), TimeUnit.NANOSECONDS);
    }
  }

  @Override
  public void lost(String tenant, int tasks) {
    batchesLost.increment();
    tasksLost.increment(tasks);
  }

  @Override
  public void workerStarted(Supplier<WorkerLoad> load) {
    gauges.add(load);
  }

  @Override
  public void workerClosed(Supplier<WorkerLoad> load) {
    gauges.remove(load);
  }

  @Override
  public void daemonStarted(Supplier<DaemonLoad> load) {
    gauges.addDaemon(load);
  }

  @Override
  public void daemonClosed(Supplier<DaemonLoad> load) {
    gauges.removeDaemon(load);
  }
}
