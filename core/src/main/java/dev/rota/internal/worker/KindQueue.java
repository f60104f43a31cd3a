package dev.rota.internal.worker;

import dev.rota.internal.claim.Claimer;
import java.util.Set;

/**
 * The queues and limits of one group of kinds in a worker. They are the tenants to visit, the
 * claimer, the number of tasks to hold, and the tasks that wait for handlers.
 *
 * @param tenants the tenants to visit for the group
 * @param claimer claims its kinds
 * @param prefetch the number of tasks to hold
 * @param queue the tasks that are claimed and not begun
 * @param besides whether it is for tenants of which little is held, while the worker holds enough
 *     in total
 */
record KindQueue(
    TenantQueue tenants,
    Claimer claimer,
    PrefetchLimit prefetch,
    WorkQueue queue,
    boolean besides) {

  /**
   * Kinds that are claimed together and share a limit: each kind that has a limit of its own, and
   * all others.
   *
   * @param kinds the kinds
   * @param limit how many of their handlers run at once; {@link #NO_LIMIT} for as many as the
   *     worker runs
   */
  record Group(Set<String> kinds, int limit) {

    static final int NO_LIMIT = Integer.MAX_VALUE;

    boolean isLimited() {
      return limit != NO_LIMIT;
    }
  }

  /** The same way for tenants of which little is held. */
  KindQueue beside() {
    return new KindQueue(tenants, claimer, prefetch, queue, true);
  }

  /** How many more tasks to claim; see {@link PrefetchLimit#wants}. */
  int wants() {
    return besides
        ? prefetch.wantsBesides(queue.waitingBesides())
        : prefetch.wants(queue.waiting(), queue.finishedTasks());
  }

  /** Records that the claim for this many tasks is over. */
  void claimed(int wanted) {
    if (besides) {
      prefetch.claimedBesides(wanted);
    } else {
      prefetch.claimed(wanted);
    }
  }

  /** Whether enough tasks of a tenant are held. */
  boolean isSated(int tenant) {
    return besides ? queue.isHalfSated(tenant, prefetch.target()) : queue.isSated(tenant);
  }
}
