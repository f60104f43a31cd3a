package dev.rota.internal.worker;

import dev.rota.internal.claim.ClaimRequest.ClaimResult;
import dev.rota.internal.settle.ClaimedTask;
import dev.rota.spi.TaskObserver;
import dev.rota.spi.TaskObserver.Claimed;
import dev.rota.spi.TaskObserver.HandlerCall;
import java.util.List;

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

  /** The call of a handler with some tasks of one kind. */
  static HandlerCall callOf(List<ClaimedTask> tasks) {
    ClaimedTask first = tasks.get(0);
    return new HandlerCall(first.tenant(), first.kind(), first.id(), first.attempt(), tasks.size());
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
