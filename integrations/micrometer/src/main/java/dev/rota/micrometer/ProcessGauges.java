package dev.rota.micrometer;

import dev.rota.spi.DaemonLoad;
import dev.rota.spi.WorkerLoad;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;

/**
 * The gauges of the workers and daemons of this process. A scrape reads their memory, and sends no
 * statement. Counters of closed daemons are kept, so that sums never fall. Thread-safe.
 */
final class ProcessGauges {

  private final Meters meters;
  private final Set<Supplier<WorkerLoad>> workers = ConcurrentHashMap.newKeySet();
  private final Set<Supplier<DaemonLoad>> daemons = ConcurrentHashMap.newKeySet();
  private final Map<CounterKey, Double> ofClosed = new ConcurrentHashMap<>();
  private final Map<CounterKey, ToLongFunction<DaemonLoad>> counters = new ConcurrentHashMap<>();
  private final BoundedTags<String> kinds;

  /** A counter of daemons. */
  private record CounterKey(RotaMeter meter, String tag) {}

  /**
   * Registers the gauges; those of the daemon come with the first one.
   *
   * @param mostKinds how many kinds have a gauge of their own
   */
  ProcessGauges(Meters meters, int mostKinds) {
    this.meters = meters;
    this.kinds = new BoundedTags<>(mostKinds, this::registerKind);
    gauge(RotaMeter.WORKER_SLOTS, WorkerLoad::busy, "busy");
    gauge(RotaMeter.WORKER_SLOTS, load -> Math.max(0, load.handlers() - load.busy()), "free");
    gauge(RotaMeter.TASKS_HELD, WorkerLoad::waiting, "queued");
    gauge(RotaMeter.TASKS_HELD, WorkerLoad::bounded, "bounded");
    gauge(RotaMeter.TASKS_UNSETTLED, WorkerLoad::unsettled);
  }

  private void gauge(RotaMeter meter, ToDoubleFunction<WorkerLoad> value, String... tags) {
    meters.gauge(meter, this, self -> self.sum(value), tags);
  }

  private double sum(ToDoubleFunction<WorkerLoad> value) {
    return workers.stream().mapToDouble(load -> value.applyAsDouble(load.get())).sum();
  }

  private void register(String kind) {
    String unused = kinds.of(kind);
  }

  private String registerKind(String kind) {
    ToIntFunction<WorkerLoad> running =
        kind.equals(BoundedTags.OTHER)
            ? this::runningOthers
            : load -> load.running().getOrDefault(kind, 0);
    gauge(RotaMeter.TASKS_ACTIVE, running::applyAsInt, kind);
    return kind;
  }

  /** The running tasks whose kinds have no gauge of their own. */
  private int runningOthers(WorkerLoad load) {
    return load.running().entrySet().stream()
        .filter(each -> kinds.isOther(each.getKey()))
        .mapToInt(Map.Entry::getValue)
        .sum();
  }

  /** Adds a worker, with a gauge for each of its kinds. */
  void add(Supplier<WorkerLoad> worker) {
    workers.add(worker);
    worker.get().running().keySet().stream().sorted().forEach(this::register);
  }

  void remove(Supplier<WorkerLoad> worker) {
    workers.remove(worker);
  }

  synchronized void addDaemon(Supplier<DaemonLoad> daemon) {
    daemons.add(daemon);
    if (counters.isEmpty()) {
      registerDaemon();
    }
  }

  synchronized void removeDaemon(Supplier<DaemonLoad> daemon) {
    if (daemons.remove(daemon)) {
      DaemonLoad last = daemon.get();
      counters.forEach(
          (key, value) -> ofClosed.merge(key, (double) value.applyAsLong(last), Double::sum));
    }
  }

  private void registerDaemon() {
    meters.gauge(RotaMeter.DAEMON_LEADING, this, ProcessGauges::leading);
    count(RotaMeter.ROTATIONS, load -> load.rings().rotations(), "switched");
    count(RotaMeter.ROTATIONS, load -> load.rings().postponed(), "postponed");
    count(RotaMeter.TASKS_PROMOTED, load -> load.rings().promoted());
    count(RotaMeter.TASKS_REAPED, load -> load.rings().reaped());
    count(RotaMeter.TENANTS_PARKED, load -> load.rings().parkedTenants());
    count(RotaMeter.HISTORY_SEGMENTS, load -> load.segments().opened(), "opened");
    count(RotaMeter.HISTORY_SEGMENTS, load -> load.segments().dropped(), "dropped");
    count(RotaMeter.LEDGER_SEGMENTS, load -> load.segments().ledgerOpened(), "opened");
    count(RotaMeter.LEDGER_SEGMENTS, load -> load.segments().ledgerDropped(), "dropped");
    count(RotaMeter.ARCHIVE_SEGMENTS, load -> load.archive().segments());
    count(RotaMeter.ARCHIVE_SIZE, load -> load.archive().bytes());
    count(RotaMeter.ARCHIVE_FAILURES, load -> load.archive().failures());
  }

  private void count(RotaMeter meter, ToLongFunction<DaemonLoad> value, String... tags) {
    CounterKey key = new CounterKey(meter, String.join("", tags));
    counters.put(key, value);
    meters.counter(meter, this, self -> self.counted(key, value), tags);
  }

  private synchronized double counted(CounterKey key, ToLongFunction<DaemonLoad> value) {
    return ofClosed.getOrDefault(key, 0.0)
        + daemons.stream().mapToLong(load -> value.applyAsLong(load.get())).sum();
  }

  private double leading() {
    return daemons.stream().anyMatch(load -> load.get().leading()) ? 1 : 0;
  }
}
