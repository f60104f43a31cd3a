package dev.rota.internal.worker;

import dev.rota.internal.claim.ClaimRequest;
import dev.rota.internal.claim.TaskRules;
import dev.rota.internal.worker.TenantQueue.ClaimSlot;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * The queues of a worker, one for each group of kinds: an empty result for one group says nothing
 * about the others. The same slots take tenants from all of them. Thread-safe.
 */
public final class TenantQueues {

  private final ClaimSlot.Common common;
  private final Flows flows;
  private final List<TenantQueue> queues = new ArrayList<>();

  /**
   * Creates empty queues.
   *
   * @param groups the number of queues
   * @param batchSize how many tasks a visit claims at most
   * @param visitors the number of slots that take tenants from them
   * @param flows the run time that tenants have used
   * @param nanoTime the clock of turns and appointments
   */
  public TenantQueues(int groups, int batchSize, int visitors, Flows flows, LongSupplier nanoTime) {
    this.flows = flows;
    this.common = ClaimSlot.Common.of(visitors, groups > 1, nanoTime);
    for (int i = 0; i < groups; i++) {
      queues.add(new TenantQueue(batchSize, common, flows));
    }
  }

  /** The run time that tenants have used. */
  Flows flows() {
    return flows;
  }

  /**
   * Follows other rules.
   *
   * @param kinds the kinds of each group
   */
  public void apply(TaskRules rules, List<Set<String>> kinds) {
    for (int i = 0; i < queues.size(); i++) {
      queues.get(i).apply(rules, kinds.get(i));
    }
    flows.apply(rules);
  }

  /**
   * Looks at tenants again that were not to be visited before.
   *
   * @param some those of which visits left out some tasks
   */
  public void roomCame(Set<Integer> some) {
    some.forEach(tenant -> changed(tenant, ClaimRequest.ALL_SLOTS));
    common.lock().lock();
    try {
      common.visitors().forEach(slot -> slot.ring(common.visitors()));
    } finally {
      common.lock().unlock();
    }
  }

  /** The queue of one group. */
  TenantQueue of(int group) {
    return queues.get(group);
  }

  /** See {@link TenantQueue#changed}. */
  public void changed(int tenant, int slots) {
    queues.forEach(queue -> queue.changed(tenant, slots));
  }

  /** See {@link TenantQueue#counted}. */
  void counted(int tenant, int slots, long inserted) {
    queues.forEach(queue -> queue.counted(tenant, slots, inserted));
  }

  /** See {@link TenantQueue#recount}. */
  void recount(int tenant, int slots) {
    queues.forEach(queue -> queue.recount(tenant, slots));
  }

  /**
   * Forgets tenants that the worker no longer serves, unless there is something to do for them.
   * Those that come back are found as new ones are, and visited.
   */
  void forgetAllBut(Set<Integer> served) {
    common.lock().lock();
    try {
      for (TenantQueue queue : queues) {
        if (queue.tenants().size() > served.size()) {
          queue.tenants().removeIf(each -> each.rests() && !served.contains(each.number()));
        }
      }
    } finally {
      common.lock().unlock();
    }
    flows.forgetAllBut(served);
  }

  /**
   * Waits until a tenant has its turn in any queue, at most this long.
   *
   * @param visitor the calling slot, from 0
   * @return the groups with such a tenant, the one that waits longest first
   */
  List<Integer> await(int visitor, long waitNanos) throws InterruptedException {
    common.lock().lock();
    try {
      ClaimSlot slot = common.visitors().get(visitor);
      slot.endTurn();
      List<Integer> due = due(visitor);
      for (long left = waitNanos; due.isEmpty() && left > 0; due = due(visitor)) {
        slot.looked();
        long nap = Math.min(left, nanosToNext(visitor));
        left -= nap - slot.awaitOther(nap);
      }
      slot.looked();
      return due;
    } finally {
      common.lock().unlock();
    }
  }

  /**
   * Waits until another tenant has its turn than those that {@link #await} found, at most this
   * long. Those are not wanted now, and must not delay the others.
   */
  void awaitOther(int visitor, long waitNanos) throws InterruptedException {
    common.lock().lock();
    try {
      long unused = common.visitors().get(visitor).awaitOther(waitNanos);
    } finally {
      common.lock().unlock();
    }
  }

  /** Records that a slot is back from its claim: others need not take its tenants any more. */
  void returned(int visitor) {
    common.lock().lock();
    try {
      common.visitors().get(visitor).endTurn();
    } finally {
      common.lock().unlock();
    }
  }

  private List<Integer> due(int visitor) {
    List<Integer> due = new ArrayList<>(queues.size());
    for (int i = 0; i < queues.size(); i++) {
      if (queues.get(i).isDue(visitor)) {
        due.add(i);
      }
    }
    if (due.size() > 1) {
      due.sort(Comparator.comparingLong(i -> queues.get(i).waitingSince(visitor)));
    }
    return due;
  }

  private long nanosToNext(int visitor) {
    long nanos = Long.MAX_VALUE;
    for (TenantQueue queue : queues) {
      nanos = Math.min(nanos, queue.nanosToNext(visitor));
    }
    return nanos;
  }
}
