package dev.rota.daemon.internal.rotation;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The rings that are due for an action, by the last survey. Postponed rings get their turn after
 * all others, or a few of them could take every turn. Used by one thread.
 */
public final class DueQueue {

  private final Predicate<RingId> putOff;
  private final Predicate<RingId> mayRetry;
  private List<RingStatus> due = new ArrayList<>();

  /**
   * Creates a queue with the state of postponed rings.
   *
   * @param putOff whether a ring was postponed
   * @param mayRetry whether it may be tried again by now
   */
  public DueQueue(Predicate<RingId> putOff, Predicate<RingId> mayRetry) {
    this.putOff = putOff;
    this.mayRetry = mayRetry;
  }

  /** Accepts a new survey, and returns the due rings. */
  public Set<RingId> renew(List<RingStatus> statuses) {
    due = new ArrayList<>(statuses);
    return due.stream().map(RingStatus::id).collect(Collectors.toSet());
  }

  /** Takes the ring whose turn it is. */
  public Optional<RingStatus> take() {
    Optional<RingStatus> next =
        due.stream().filter(standing -> !putOff.test(standing.id())).findFirst();
    if (next.isEmpty()) {
      next = due.stream().filter(standing -> mayRetry.test(standing.id())).findFirst();
    }
    next.ifPresent(due::remove);
    return next;
  }
}
