package dev.rota.internal.worker;

import dev.rota.BatchHandler;
import dev.rota.PartialFailureException;
import dev.rota.Task;
import dev.rota.TaskHandler;
import dev.rota.TransactionalHandler;
import dev.rota.internal.settle.ClaimedTask;
import dev.rota.internal.settle.ClaimedTask.Outcome;
import dev.rota.internal.worker.WorkerConfig.KindSettings;
import dev.rota.spi.TaskObserver;
import dev.rota.spi.TaskObserver.HandlerCall;
import dev.rota.spi.TaskObserver.HandlerCalls;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** The handlers of a worker by kind. Immutable. */
public final class Handlers {

  private final Map<String, Handler> byKind;

  /** With the handlers by kind, in the order in which they were given. */
  public Handlers(Map<String, Handler> byKind) {
    this.byKind = Collections.unmodifiableMap(new LinkedHashMap<>(byKind));
  }

  /** Runs the tasks of one kind. */
  public sealed interface Handler {

    /** Runs tasks one by one. */
    static Handler single(TaskHandler handler) {
      return new Single(
          task -> {
            handler.handle(task);
            return Outcome.done(task);
          },
          false);
    }

    /** Runs a stage of a pipeline, one task at a time. */
    static Handler ofStage(SingleRun stage) {
      return new Single(stage, true);
    }

    /** Runs tasks of one tenant together. */
    static Handler several(BatchHandler handler) {
      return new Several(handler);
    }

    /** Runs tasks inside the claim's transaction. */
    static Handler transactional(TransactionalHandler handler) {
      return new Transactional(
          (task, connection) -> {
            handler.handle(task, connection);
            return Outcome.done(task);
          },
          false);
    }

    /** Runs a stage of a pipeline inside the claim's transaction. */
    static Handler ofStage(TransactionalRun stage) {
      return new Transactional(stage, true);
    }
  }

  private record Single(SingleRun run, boolean isStage) implements Handler {}

  private record Several(BatchHandler handler) implements Handler {}

  private record Transactional(TransactionalRun run, boolean isStage) implements Handler {}

  /** Runs one task, and tells what became of it unless it throws. */
  @FunctionalInterface
  public interface SingleRun {
    Outcome run(ClaimedTask task) throws Exception;
  }

  /** Runs one task in a transaction, and returns its outcome unless it throws. */
  @FunctionalInterface
  public interface TransactionalRun {
    Outcome run(ClaimedTask task, Connection connection) throws Exception;
  }

  /** The kinds that this worker can run. */
  Set<String> kinds() {
    return byKind.keySet();
  }

  /** The numbers of calls that run, by kind, while none does. */
  Map<String, Integer> idle() {
    Map<String, Integer> byKind = new HashMap<>();
    kinds().forEach(kind -> byKind.put(kind, 0));
    return byKind;
  }

  boolean hasTransactional() {
    return byKind.values().stream().anyMatch(Transactional.class::isInstance);
  }

  boolean hasOthers() {
    return !byKind.values().stream().allMatch(Transactional.class::isInstance);
  }

  boolean hasStages() {
    return byKind.values().stream().anyMatch(Handlers::isStage);
  }

  private static boolean isStage(Handler handler) {
    return (handler instanceof Single single && single.isStage())
        || (handler instanceof Transactional transactional && transactional.isStage());
  }

  /** Whether tasks of a kind are handled together. */
  boolean handlesTogether(String kind) {
    return byKind.get(kind) instanceof Several;
  }

  @Nullable BatchHandler batchHandler(String kind) {
    return byKind.get(kind) instanceof Several several ? several.handler() : null;
  }

  SingleRun singleRun(Task task) {
    if (byKind.get(task.kind()) instanceof Single single) {
      return single.run();
    }
    throw noHandler(task);
  }

  TransactionalRun transactionalRun(Task task) {
    if (byKind.get(task.kind()) instanceof Transactional transactional) {
      return transactional.run();
    }
    throw noHandler(task);
  }

  private static IllegalStateException noHandler(Task task) {
    return new IllegalStateException(task + " was claimed without a handler for its kind");
  }

  /**
   * Calls the handlers of leased tasks in the thread of its caller, each within its time limit.
   * Thread-safe.
   */
  static final class Calls implements AutoCloseable {

    private final Handlers handlers;
    private final FailureReporter failures;
    private final KindSettings rules;
    private final Map<String, Duration> timeLimits;
    private final HandlerTimeouts watchdog = new HandlerTimeouts();
    private final @Nullable TaskObserver observer;
    private final HandlerCalls wanted;

    Calls(WorkerConfig settings, FailureReporter failures) {
      this.failures = failures;
      this.handlers = settings.handlers();
      this.rules = settings.rules();
      this.timeLimits = rules.timeLimits();
      this.observer = settings.rota().timing().observer();
      this.wanted = Observed.wantedBy(observer);
    }

    /** Calls the handler of some tasks, of one tenant and kind, and returns an outcome for each. */
    List<Outcome> outcomes(List<ClaimedTask> tasks) {
      return observer != null && Observed.isOneOf(wanted, tasks)
          ? observed(observer, tasks)
          : call(tasks);
    }

    /** The numbers of calls that run, by kind, while none does. */
    Map<String, Integer> idle() {
      return handlers.idle();
    }

    /** Ends the timer of the limits; no call may follow. */
    @Override
    public void close() {
      watchdog.close();
    }

    private List<Outcome> observed(TaskObserver told, List<ClaimedTask> tasks) {
      HandlerCall call = Observed.callOf(tasks);
      List<Outcome> outcomes = List.of();
      told.begun(call);
      try {
        outcomes = call(tasks);
        return outcomes;
      } finally {
        told.returned(call, Observed.errorOf(outcomes));
      }
    }

    private List<Outcome> call(List<ClaimedTask> tasks) {
      BatchHandler batchHandler = handlers.batchHandler(tasks.get(0).kind());
      return batchHandler == null
          ? List.of(handleOne(tasks.get(0)))
          : handleTogether(batchHandler, tasks);
    }

    private Outcome handleOne(ClaimedTask task) {
      if (isExhausted(task)) {
        return exhausted(task);
      }
      try {
        return inTime(task.kind(), () -> handlers.singleRun(task).run(task));
      } catch (Throwable e) {
        return failures.failed(task, e);
      }
    }

    /** Runs a handler of a kind, and interrupts it at its time limit if it has one. */
    private <T> T inTime(String kind, Callable<T> handler) throws Throwable {
      Duration limit = timeLimits.get(kind);
      return limit == null ? handler.call() : watchdog.run(limit, handler);
    }

    private List<Outcome> handleTogether(BatchHandler handler, List<ClaimedTask> tasks) {
      List<Task> fit = new ArrayList<>(tasks.size());
      tasks.stream().filter(task -> !isExhausted(task)).forEach(fit::add);
      Map<Long, Throwable> failed = Map.of();
      try {
        if (!fit.isEmpty()) {
          failed = inTime(tasks.get(0).kind(), () -> failuresOf(handler, List.copyOf(fit)));
        }
      } catch (Throwable e) {
        return failures.failed(tasks, e);
      }
      return outcomes(tasks, failed);
    }

    private static Map<Long, Throwable> failuresOf(BatchHandler handler, List<Task> tasks)
        throws Exception {
      try {
        handler.handle(tasks);
        return Map.of();
      } catch (PartialFailureException e) {
        return e.failures();
      }
    }

    private List<Outcome> outcomes(List<ClaimedTask> tasks, Map<Long, Throwable> failed) {
      List<Outcome> outcomes = new ArrayList<>(tasks.size());
      for (ClaimedTask task : tasks) {
        Throwable error = failed.get(task.id());
        outcomes.add(
            isExhausted(task)
                ? exhausted(task)
                : error == null ? Outcome.done(task) : failures.failed(task, error));
      }
      return outcomes;
    }

    /**
     * Whether the task has no attempts left. A task that kills its workers must come to an end as
     * well.
     */
    private boolean isExhausted(ClaimedTask task) {
      // Each policy allows a first attempt.
      return task.attempt() > 1 && task.attempt() > maxAttempts(task);
    }

    private int maxAttempts(ClaimedTask task) {
      return rules.retryOf(task.kind()).maxAttempts();
    }

    private Outcome exhausted(ClaimedTask task) {
      return Outcome.dead(
          task, "not run: " + maxAttempts(task) + " attempts were begun, the last ones were lost");
    }
  }
}
