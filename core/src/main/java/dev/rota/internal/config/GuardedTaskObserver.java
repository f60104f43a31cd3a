package dev.rota.internal.config;

import dev.rota.internal.log.Logs;
import dev.rota.internal.text.HeaderLine;
import dev.rota.spi.DaemonLoad;
import dev.rota.spi.EndedAttempt;
import dev.rota.spi.TaskObserver;
import dev.rota.spi.WorkerLoad;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Keeps what an observer throws from those who call it, and logs it once a minute. Thread-safe.
 *
 * <p>An {@link Error} is kept too: an observer compiled for other libraries throws a {@link
 * LinkageError}, which would end a settling thread.
 */
public final class GuardedTaskObserver implements TaskObserver {

  private static final Logger log = Logs.of(GuardedTaskObserver.class);
  private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final TaskObserver target;
  private final LongSupplier nanoTime;
  private final AtomicLong toldAt;
  private final AtomicLong silenced = new AtomicLong();

  public GuardedTaskObserver(TaskObserver target, LongSupplier nanoTime) {
    this.target = target;
    this.nanoTime = nanoTime;
    this.toldAt = new AtomicLong(nanoTime.getAsLong() - QUIET_NANOS);
  }

  @Override
  public @Nullable EnqueueTrace enqueuing(
      String tenant, Map<String, Integer> kinds, EnqueuePath path) {
    Optional<EnqueueTrace> trace =
        ask(
            "enqueuing",
            () -> Optional.ofNullable(target.enqueuing(tenant, kinds, path)),
            Optional.empty());
    return trace.map(GuardedTrace::new).orElse(null);
  }

  @Override
  public void enqueued(Enqueued enqueued) {
    guard("enqueued", () -> target.enqueued(enqueued));
  }

  @Override
  public void claimed(Claimed claimed) {
    guard("claimed", () -> target.claimed(claimed));
  }

  @Override
  public HandlerCalls handlerCalls() {
    return ask("handlerCalls", target::handlerCalls, HandlerCalls.ALL);
  }

  @Override
  public boolean endedAttempts() {
    return ask("endedAttempts", target::endedAttempts, true);
  }

  @Override
  public void begun(HandlerCall call) {
    guard("begun", () -> target.begun(call));
  }

  @Override
  public void returned(HandlerCall call, @Nullable String error) {
    guard("returned", () -> target.returned(call, error));
  }

  @Override
  public void ended(List<? extends EndedAttempt> attempts) {
    guard("ended", () -> target.ended(attempts));
  }

  @Override
  public void settled(Settled settled) {
    guard("settled", () -> target.settled(settled));
  }

  @Override
  public void lost(String tenant, int tasks) {
    guard("lost", () -> target.lost(tenant, tasks));
  }

  @Override
  public void workerStarted(Supplier<WorkerLoad> load) {
    guard("workerStarted", () -> target.workerStarted(load));
  }

  @Override
  public void workerClosed(Supplier<WorkerLoad> load) {
    guard("workerClosed", () -> target.workerClosed(load));
  }

  @Override
  public void daemonStarted(Supplier<DaemonLoad> load) {
    guard("daemonStarted", () -> target.daemonStarted(load));
  }

  @Override
  public void daemonClosed(Supplier<DaemonLoad> load) {
    guard("daemonClosed", () -> target.daemonClosed(load));
  }

  private final class GuardedTrace implements EnqueueTrace {

    private final EnqueueTrace trace;

    GuardedTrace(EnqueueTrace trace) {
      this.trace = trace;
    }

    @Override
    public Map<String, String> headers() {
      return ask("headers", () -> checked(trace.headers()), Map.of());
    }

    /** A task is not refused for a header that it was given. */
    private static Map<String, String> checked(Map<String, String> headers) {
      HeaderLine.check(headers);
      return headers;
    }

    @Override
    public void ended(@Nullable Throwable error) {
      guard("ended", () -> trace.ended(error));
    }
  }

  private void guard(String method, Runnable call) {
    try {
      call.run();
    } catch (RuntimeException | Error e) {
      threw(method, e);
    }
  }

  private <T> T ask(String method, Supplier<T> call, T otherwise) {
    try {
      return call.get();
    } catch (RuntimeException | Error e) {
      threw(method, e);
      return otherwise;
    }
  }

  private void threw(String method, Throwable e) {
    long now = nanoTime.getAsLong();
    long last = toldAt.get();
    if (now - last < QUIET_NANOS || !toldAt.compareAndSet(last, now)) {
      silenced.incrementAndGet();
      return;
    }
    long more = silenced.getAndSet(0);
    log.warn(
        "the observer {} threw in {}(); no task is harmed, but its figures are wrong{}",
        target.getClass().getName(),
        method,
        more == 0 ? "" : "; " + more + " like this since the last line",
        e);
  }
}
