package dev.rota.internal.worker;

import dev.rota.DeliveryMode;
import dev.rota.RetryAfterException;
import dev.rota.TaskCancelledException;
import dev.rota.internal.claim.TaskRules;
import dev.rota.internal.log.Logs;
import dev.rota.internal.settle.ClaimedTask;
import dev.rota.internal.settle.ClaimedTask.Outcome;
import dev.rota.internal.text.ErrorText;
import dev.rota.internal.worker.WorkerConfig.KindSettings;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;

/**
 * Translates exceptions of handlers into outcomes, and logs them: each kind and error once a
 * minute, with the frames of the application. Messages of exceptions may contain sensitive data, so
 * they go to history alone. Thread-safe.
 */
final class FailureReporter {

  private static final Logger log = Logs.of(FailureReporter.class);
  private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);

  /**
   * The most errors that are logged; an application with more different ones gets no further lines.
   */
  private static final int MOST_TOLD = 1_000;

  private final KindSettings rules;
  private final TaskRules.Source source;
  private final int frames;
  private final LongSupplier nanoTime;
  private final String keptWhere;
  private final BiConsumer<ClaimedTask, Throwable> listener;
  private final Map<Which, Told> told = new ConcurrentHashMap<>();

  /** The key of a log line: a kind, and the classes and frames of an error. */
  private record Which(String kind, String error, String frames) {}

  /** The time of the last line about an error, and the number of failures since. Thread-safe. */
  private static final class Told {
    private long at;
    private long silenced;

    Told(long at) {
      this.at = at;
    }

    /** Returns how many failures were silenced since the last line; -1 if no line is due. */
    synchronized long due(long now) {
      if (now - at < QUIET_NANOS) {
        silenced++;
        return -1;
      }
      long passedOver = silenced;
      at = now;
      silenced = 0;
      return passedOver;
    }
  }

  /**
   * Creates the reporter of a worker.
   *
   * @param source takes what handlers want to hold
   */
  FailureReporter(WorkerConfig settings, TaskRules.Source source) {
    this(settings, source, (task, error) -> {});
  }

  /**
   * Creates a reporter that tells a listener too.
   *
   * @param source takes what handlers want to hold
   * @param listener is told of each call of a handler that failed, with its first task
   */
  FailureReporter(
      WorkerConfig settings, TaskRules.Source source, BiConsumer<ClaimedTask, Throwable> listener) {
    this.source = source;
    this.listener = listener;
    this.rules = settings.rules();
    this.frames = settings.rota().tasks().stackFrames();
    this.nanoTime = settings.rota().timing().nanoTime();
    this.keptWhere =
        settings.mode() == DeliveryMode.FIRE_AND_FORGET
            ? "kept nowhere, and the task is not tried again (fire and forget)"
            : "in its history (`rota task TENANT ID`)";
  }

  Outcome failed(ClaimedTask task, Throwable error) {
    return failed(List.of(task), error).get(0);
  }

  /** Fails several tasks of one kind with the same error, which is logged once. */
  List<Outcome> failed(List<ClaimedTask> tasks, Throwable error) {
    if (error instanceof RetryAfterException wish
        && wish.reach() != RetryAfterException.Reach.TASK) {
      source.hold(tasks.get(0), wish);
      return tasks.stream().map(Outcome::released).toList();
    }
    String stack = ErrorText.frames(error, frames);
    if (!isSaying(error)) {
      tell(tasks.get(0), error, stack);
      listener.accept(tasks.get(0), error);
    }
    return tasks.stream()
        .map(task -> Outcome.failed(task, error, stack, rules.retryOf(task.kind())))
        .toList();
  }

  /** Fails tasks of one kind although it cannot be told how their handler ended. */
  List<Outcome> untold(List<ClaimedTask> tasks, Throwable reason) {
    Throwable error =
        new IllegalStateException(
            "the worker cannot tell how the handler ended, because of "
                + reason.getClass().getName());
    return tasks.stream()
        .map(task -> Outcome.failed(task, error, "", rules.retryOf(task.kind())))
        .toList();
  }

  /** Whether the exception is one by which a handler decides what happens to its task. */
  private static boolean isSaying(Throwable error) {
    return error instanceof RetryAfterException || error instanceof TaskCancelledException;
  }

  private void tell(ClaimedTask task, Throwable error, String stack) {
    Which which = new Which(task.kind(), ErrorText.names(error), stack);
    if (told.size() >= MOST_TOLD && !told.containsKey(which)) {
      return;
    }
    long now = nanoTime.getAsLong();
    long passedOver = told.computeIfAbsent(which, unused -> new Told(now - QUIET_NANOS)).due(now);
    if (passedOver >= 0) {
      log(task, which, passedOver);
    }
  }

  private void log(ClaimedTask task, Which which, long silenced) {
    log.warn(
        "the handler of {} threw {}; the message is {}{}{}",
        task,
        which.error(),
        keptWhere,
        silenced == 0 ? "" : "; " + silenced + " like this since the last line",
        which.frames());
  }
}
