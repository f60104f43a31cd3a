package dev.rota.internal.worker;

import dev.rota.internal.claim.ClaimRequest.ClaimResult;
import dev.rota.internal.settle.ClaimedTask;
import dev.rota.internal.settle.ClaimedTask.Outcome;
import dev.rota.spi.TaskObserver;
import dev.rota.spi.TaskObserver.Claimed;
import dev.rota.spi.TaskObserver.HandlerCall;
import dev.rota.spi.TaskObserver.HandlerCalls;
import dev.rota.spi.TaskObserver.TaskRun;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What an observer is told of claims and of calls of handlers. Thread-safe. */
final class Observed {

  private Observed() {}

  /** A claim that may fail. */
  interface Claiming<E extends Exception> {

    List<ClaimResult> claim() throws E;
  }

  /** Claims from some tenants, and reports it. */
  static <E extends Exception> List<ClaimResult> claim(
      TaskObserver observer, int tenants, Claiming<E> claiming) throws E {
    long beganAt = System.nanoTime();
    List<ClaimResult> claims = List.of();
    boolean failed = true;
    try {
      claims = claiming.claim();
      failed = false;
      return claims;
    } finally {
      observer.claimed(claimed(tenants, claims, System.nanoTime() - beganAt, failed));
    }
  }

  /** The calls of which an observer wants to be told; none if there is no observer. */
  static HandlerCalls wantedBy(@Nullable TaskObserver observer) {
    return observer == null ? HandlerCalls.NONE : observer.handlerCalls();
  }

  /** Whether a call with some tasks is one of those. */
  static boolean isOneOf(HandlerCalls wanted, List<ClaimedTask> tasks) {
    return switch (wanted) {
      case NONE -> false;
      case WITH_HEADERS -> tasks.stream().anyMatch(task -> !task.headers().isEmpty());
      case ALL -> true;
    };
  }

  /** The call of a handler with some tasks of one kind. */
  static HandlerCall callOf(List<ClaimedTask> tasks) {
    ClaimedTask first = tasks.get(0);
    List<TaskRun> runs =
        tasks.size() == 1 ? List.of(runOf(first)) : tasks.stream().map(Observed::runOf).toList();
    return new HandlerCall(first.tenant(), first.kind(), runs);
  }

  private static TaskRun runOf(ClaimedTask task) {
    return new TaskRun(task.id(), task.attempt(), task.headers());
  }

  /** The error of the first task that did not succeed. */
  static @Nullable String errorOf(List<Outcome> outcomes) {
    for (Outcome outcome : outcomes) {
      if (!outcome.isSuccess()) {
        return outcome.error() == null ? outcome.state().name() : outcome.error();
      }
    }
    return null;
  }

  private static Claimed claimed(
      int tenants, List<ClaimResult> claims, long nanos, boolean failed) {
    int batches = 0;
    int tasks = 0;
    for (ClaimResult claim : claims) {
      int size = claim.batch().tasks().size();
      batches += size > 0 ? 1 : 0;
      tasks += size;
    }
    return new Claimed(tenants, batches, tasks, nanos, failed);
  }
}
