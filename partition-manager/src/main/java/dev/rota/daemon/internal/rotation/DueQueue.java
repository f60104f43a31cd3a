package dev.rota.daemon.internal.rotation;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The rings that are due for an action, by the last survey. Postponed rings get every second turn
 * at most, or a few of them could take every turn. They get that much, or a daemon that is behind
 * with the others would never try them again. Used by one thread.
 */
public final class DueQueue {

  private final Predicate<RingId> putOff;
  private final Predicate<RingId> mayRetry;
  private List<RingStatus> due = new ArrayList<>();
  private boolean retryIsNext;

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
    Optional<RingStatus> fresh = first(ring -> !putOff.test(ring));
    Optional<RingStatus> retry = first(ring -> putOff.test(ring) && mayRetry.test(ring));
    boolean retries = retry.isPresent() && (retryIsNext || fresh.isEmpty());
    Optional<RingStatus> next = retries ? retry : fresh;
    retryIsNext = !retries;
    next.ifPresent(due::remove);
    return next;
  }

  private Optional<RingStatus> first(Predicate<RingId> condition) {
    return due.stream().filter(status -> condition.test(status.id())).findFirst();
  }
}
