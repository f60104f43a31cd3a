package dev.rota.limits;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Why tasks of a tenant, or of one kind of it, do not begin.
 *
 * @param tenant the name of the tenant
 * @param kind the kind, if only tasks of one were asked about
 * @param tasks how many there are
 * @param reasons all reasons, those that hold all tasks first; empty if nothing is known that holds
 *     them back
 */
public record Explanation(String tenant, Optional<String> kind, Tasks tasks, List<Reason> reasons) {

  /** Creates an explanation with a copy of the reasons. */
  public Explanation {
    reasons = List.copyOf(reasons);
  }

  /**
   * The tasks of a tenant, or of one kind of it.
   *
   * @param pending how many are in rings
   * @param waiting how many wait for a time, a retry or for prerequisites; counted up to 10,000
   * @param running how many workers have claimed, of all kinds of the tenant
   * @param oldestPending how long the oldest pending task that was counted is there
   * @param exact whether all pending tasks were counted; else their number is at least what was
   *     counted, or an estimate of the server for all kinds together
   */
  public record Tasks(
      long pending, long waiting, long running, Optional<Duration> oldestPending, boolean exact) {}

  /**
   * Whether one of the reasons holds back all tasks that were asked about.
   *
   * @return whether any does
   */
  public boolean holdsAll() {
    return reasons.stream().anyMatch(Reason::holdsAll);
  }
}
