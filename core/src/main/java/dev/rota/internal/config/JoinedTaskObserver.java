package dev.rota.internal.config;

import dev.rota.spi.DaemonLoad;
import dev.rota.spi.EndedAttempt;
import dev.rota.spi.TaskObserver;
import dev.rota.spi.WorkerLoad;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Tells several observers, each of which is guarded from the others. Thread-safe. */
public final class JoinedTaskObserver implements TaskObserver {

  private final List<GuardedTaskObserver> observers;

  private JoinedTaskObserver(List<GuardedTaskObserver> observers) {
    this.observers = observers;
  }

  /** Guards observers, and joins them to one; null for none. */
  public static @Nullable TaskObserver of(List<TaskObserver> observers, LongSupplier nanoTime) {
    List<GuardedTaskObserver> guarded =
        observers.stream().map(observer -> new GuardedTaskObserver(observer, nanoTime)).toList();
    return switch (guarded.size()) {
      case 0 -> null;
      case 1 -> guarded.get(0);
      default -> new JoinedTaskObserver(guarded);
    };
  }

  @Override
  public EnqueueTrace enqueuing(String tenant, Map<String, Integer> kinds, EnqueuePath path) {
    return new JoinedEnqueueTrace(
        observers.stream()
            .map(each -> each.enqueuing(tenant, kinds, path))
            .filter(Objects::nonNull)
            .toList());
  }

  private record JoinedEnqueueTrace(List<EnqueueTrace> traces) implements EnqueueTrace {

    @Override
    public Map<String, String> headers() {
      Map<String, String> headers = new HashMap<>();
      traces.forEach(trace -> trace.headers().forEach(headers::putIfAbsent));
      return headers;
    }

    @Override
    public void ended(@Nullable Throwable error) {
      traces.forEach(trace -> trace.ended(error));
    }
  }

  @Override
  public void enqueued(Enqueued enqueued) {
    observers.forEach(each -> each.enqueued(enqueued));
  }

  @Override
  public void claimed(Claimed claimed) {
    observers.forEach(each -> each.claimed(claimed));
  }

  /** What any of them wants; each is told of all that. */
  @Override
  public HandlerCalls handlerCalls() {
    return observers.stream()
        .map(TaskObserver::handlerCalls)
        .max(Comparator.naturalOrder())
        .orElse(HandlerCalls.NONE);
  }

  @Override
  public boolean endedAttempts() {
    return observers.stream().anyMatch(TaskObserver::endedAttempts);
  }

  @Override
  public void begun(HandlerCall call) {
    observers.forEach(each -> each.begun(call));
  }

  /** Tells them in the opposite order, so that what they bound to the thread is nested. */
  @Override
  public void returned(HandlerCall call, @Nullable String error) {
    for (int i = observers.size() - 1; i >= 0; i--) {
      observers.get(i).returned(call, error);
    }
  }

  @Override
  public void ended(List<? extends EndedAttempt> attempts) {
    observers.forEach(each -> each.ended(attempts));
  }

  @Override
  public void settled(Settled settled) {
    observers.forEach(each -> each.settled(settled));
  }

  @Override
  public void lost(String tenant, int tasks) {
    observers.forEach(each -> each.lost(tenant, tasks));
  }

  @Override
  public void workerStarted(Supplier<WorkerLoad> load) {
    observers.forEach(each -> each.workerStarted(load));
  }

  @Override
  public void workerClosed(Supplier<WorkerLoad> load) {
    observers.forEach(each -> each.workerClosed(load));
  }

  @Override
  public void daemonStarted(Supplier<DaemonLoad> load) {
    observers.forEach(each -> each.daemonStarted(load));
  }

  @Override
  public void daemonClosed(Supplier<DaemonLoad> load) {
    observers.forEach(each -> each.daemonClosed(load));
  }
}
