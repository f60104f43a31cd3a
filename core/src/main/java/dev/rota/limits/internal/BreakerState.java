package dev.rota.limits.internal;

import dev.rota.internal.claim.TaskRules.Attempts;
import dev.rota.internal.settle.ClaimedTask.Outcome;
import dev.rota.internal.text.ErrorText;
import dev.rota.internal.text.SafeText;
import dev.rota.limits.Breaker;
import dev.rota.limits.internal.BreakerRules.Trip;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One breaker in this process: counts how attempts end, and decides whether others begin.
 * Thread-safe.
 */
final class BreakerState {

  private final Runnable soon;
  private final LongSupplier nanoTime;
  private final Set<Integer> leftOut = new HashSet<>();
  private @Nullable Breaker rule;
  private @Nullable BreakerWindow window;
  private @Nullable Trip trip;
  private @Nullable Trip stored;
  private @Nullable Change change;

  /** Changes with each trip and end of one: attempts that began before say nothing any more. */
  private int round;

  private int running;
  private int succeeded;

  /**
   * Creates a breaker without a rule.
   *
   * @param soon lets changes be written, and tenants be visited again, soon
   */
  BreakerState(Runnable soon, LongSupplier nanoTime) {
    this.soon = soon;
    this.nanoTime = nanoTime;
  }

  /**
   * What to write.
   *
   * @param seen the trip that was known; null if there was none
   * @param pause how long the kind is to be paused; null to let its tasks through
   * @param reason why it is paused
   */
  record Change(@Nullable Instant seen, @Nullable Duration pause, String reason) {}

  /** Follows a rule, and what is stored about it. */
  synchronized void follow(@Nullable Breaker present, @Nullable Trip now) {
    stored = now;
    if (now != null && now.paused()) {
      leftOut.clear();
    }
    if (!Objects.equals(rule, present)) {
      rule = present;
      change = null;
      beginRound(now);
    } else if (change == null && !Objects.equals(trip, now)) {
      beginRound(now);
    }
    if (!leftOut.isEmpty()) {
      soon.run();
    }
  }

  /** Whether it has no rule any more, and nothing to write or to wait for. */
  synchronized boolean isOver() {
    return rule == null && !isPending();
  }

  private void beginRound(@Nullable Trip now) {
    trip = now;
    window = rule == null ? null : new BreakerWindow(rule);
    round++;
    running = 0;
    succeeded = 0;
  }

  /** Begins tasks; null if they may not begin. */
  synchronized @Nullable Attempts begin(int tasks) {
    if (isShut(tasks)) {
      return null;
    }
    int own = round;
    running += tasks;
    return outcomes -> ended(own, tasks, outcomes);
  }

  /** Records that claims leave out its kind, if no task may begin. */
  synchronized boolean leavesOut(int tenant) {
    boolean shut = isShut(1);
    // When a stored pause ends, all tenants are visited anyway.
    if (shut && (stored == null || !stored.paused()) && leftOut.add(tenant)) {
      soon.run();
    }
    return shut;
  }

  /**
   * Whether tasks may not begin. While all that ended failed, no more run than are needed to be
   * sure of it.
   */
  private boolean isShut(int more) {
    if (trip != null && trip.paused()) {
      return true;
    }
    Breaker own = rule;
    BreakerWindow counted = window;
    if (trip != null || own == null || counted == null || running == 0) {
      return false;
    }
    long now = nanoTime.getAsLong();
    return counted.isFailing(now) && counted.attempts(now) + running + more > own.minimum();
  }

  private synchronized void ended(int inRound, int tasks, List<Outcome> outcomes) {
    Breaker own = rule;
    BreakerWindow counted = window;
    if (inRound != round || own == null || counted == null) {
      return;
    }
    running -= tasks;
    long now = nanoTime.getAsLong();
    int successes = (int) outcomes.stream().filter(Outcome::isSuccess).count();
    List<Outcome> faults = outcomes.stream().filter(Outcome::isFault).toList();
    counted.succeeded(successes, now);
    faults.forEach(fault -> counted.failed(textOf(fault), now));
    succeeded += successes;
    if (trip != null) {
      probed(own, trip, faults.isEmpty() ? "" : counted.reason(now));
    } else if (!faults.isEmpty()
        && counted.isFailing(now)
        && counted.attempts(now) >= own.minimum()) {
      change(new Change(null, own.pause(), counted.reason(now)), true);
    }
    if (!leftOut.isEmpty()) {
      soon.run();
    }
  }

  private static String textOf(Outcome fault) {
    return SafeText.of(ErrorText.said(Objects.requireNonNullElse(fault.error(), "")));
  }

  private void probed(Breaker own, Trip present, String failure) {
    if (!failure.isEmpty()) {
      change(new Change(present.at(), own.pause(), failure), true);
    } else if (succeeded >= own.probes() && change == null) {
      change(new Change(present.at(), null, ""), false);
    }
  }

  /** Wants a change, in force here at once if it is a pause. */
  private void change(Change wanted, boolean pauses) {
    change = wanted;
    if (pauses) {
      beginRound(new Trip(Instant.EPOCH, true));
    }
    soon.run();
  }

  /** The change to write; null if there is none. */
  synchronized @Nullable Change change() {
    return change;
  }

  /** Records that a change was written, or that another process was first. */
  synchronized void written(Change what) {
    if (what.equals(change)) {
      change = null;
      if (!Objects.equals(trip, stored)) {
        beginRound(stored);
      }
    }
  }

  /** Takes the tenants to visit again. */
  synchronized Set<Integer> takeLeftOut() {
    if (leftOut.isEmpty() || isShut(1)) {
      return Set.of();
    }
    Set<Integer> taken = Set.copyOf(leftOut);
    leftOut.clear();
    return taken;
  }

  /** Whether there is something to write, or to wait for. */
  synchronized boolean isPending() {
    return change != null || !leftOut.isEmpty();
  }
}
