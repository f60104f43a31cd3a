package dev.rota.control;

import dev.rota.history.ErrorGroup;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Selects the dead tasks that {@link TaskControl#redrive(Redrive)} runs again, and the time. A task
 * has to meet all conditions. Immutable and thread-safe; each method returns a copy.
 */
public final class Redrive {

  /** The longest time over which tasks can be spread. */
  public static final Duration LONGEST_SPREAD = Duration.ofDays(3_650);

  private final Which which;
  private final Interval died;
  private final Duration spread;
  private final boolean dryRun;

  private record Which(
      Optional<Set<Long>> ids,
      Optional<String> kind,
      Optional<String> error,
      OptionalLong fingerprint) {}

  private record Interval(Optional<Instant> from, Optional<Instant> until) {}

  private Redrive(Which which, Interval died, Duration spread, boolean dryRun) {
    this.which = which;
    this.died = died;
    this.spread = spread;
    this.dryRun = dryRun;
  }

  /**
   * Selects every dead task, to run at once.
   *
   * @return a redrive without conditions
   */
  public static Redrive all() {
    return new Redrive(
        new Which(Optional.empty(), Optional.empty(), Optional.empty(), OptionalLong.empty()),
        new Interval(Optional.empty(), Optional.empty()),
        Duration.ZERO,
        false);
  }

  /**
   * Selects only these tasks.
   *
   * @param ids the ids of the tasks; tasks that are not dead are left alone
   * @return a copy with this condition
   */
  public Redrive ids(Collection<Long> ids) {
    return with(
        new Which(Optional.of(Set.copyOf(ids)), which.kind(), which.error(), which.fingerprint()));
  }

  /**
   * Selects only tasks of this kind.
   *
   * @param kind the kind, compared exactly
   * @return a copy with this condition
   */
  public Redrive kind(String kind) {
    return with(new Which(which.ids(), Optional.of(kind), which.error(), which.fingerprint()));
  }

  /**
   * Selects only tasks whose last attempt ended with this text.
   *
   * @param error the whole text, as in {@link ErrorGroup#error()}
   * @return a copy with this condition
   */
  public Redrive error(String error) {
    return with(new Which(which.ids(), which.kind(), Optional.of(error), which.fingerprint()));
  }

  /**
   * Selects only tasks whose last attempt ended with an error of this fingerprint, whose texts may
   * differ in numbers, identifiers and quoted words.
   *
   * @param fingerprint as in {@link dev.rota.insight.ErrorActivity#fingerprint()}
   * @return a copy with this condition
   */
  public Redrive fingerprint(long fingerprint) {
    return with(new Which(which.ids(), which.kind(), which.error(), OptionalLong.of(fingerprint)));
  }

  /**
   * Selects only tasks that died at this time or later.
   *
   * @param from the first moment that counts, by the clock of the database
   * @return a copy with this condition
   */
  public Redrive diedFrom(Instant from) {
    return new Redrive(which, new Interval(Optional.of(from), died.until()), spread, dryRun);
  }

  /**
   * Selects only tasks that died before this time.
   *
   * @param until the first moment that no longer counts, by the clock of the database
   * @return a copy with this condition
   */
  public Redrive diedBefore(Instant until) {
    return new Redrive(which, new Interval(died.from(), Optional.of(until)), spread, dryRun);
  }

  /**
   * Spreads the tasks: each waits for a random part of this time, so that they do not overwhelm the
   * system at which they failed. A daemon must be running.
   *
   * @param time the time over which they become pending; zero, the default, means at once
   * @return a copy that spreads the tasks
   * @throws IllegalArgumentException if the time is negative or longer than {@link #LONGEST_SPREAD}
   */
  public Redrive spreadOver(Duration time) {
    if (time.isNegative() || time.compareTo(LONGEST_SPREAD) > 0) {
      throw new IllegalArgumentException(
          "spreadOver is " + time + "; allowed are zero to " + LONGEST_SPREAD.toDays() + " days");
    }
    return new Redrive(which, died, Objects.requireNonNull(time), dryRun);
  }

  /**
   * Only counts the tasks, and changes nothing.
   *
   * @return a copy that counts
   */
  public Redrive dryRun() {
    return new Redrive(which, died, spread, true);
  }

  private Redrive with(Which newWhich) {
    return new Redrive(newWhich, died, spread, dryRun);
  }

  /**
   * The selected tasks.
   *
   * @return an unmodifiable set of ids, or empty for all
   */
  public Optional<Set<Long>> ids() {
    return which.ids();
  }

  /**
   * The selected kind.
   *
   * @return the kind, or empty for all
   */
  public Optional<String> kind() {
    return which.kind();
  }

  /**
   * The selected error text.
   *
   * @return the text, or empty for all
   */
  public Optional<String> error() {
    return which.error();
  }

  /**
   * The selected fingerprint of errors.
   *
   * @return the fingerprint, or empty for all
   */
  public OptionalLong fingerprint() {
    return which.fingerprint();
  }

  /**
   * The first selected time of death.
   *
   * @return the moment, or empty for no bound
   */
  public Optional<Instant> diedFrom() {
    return died.from();
  }

  /**
   * The first time of death that is no longer selected.
   *
   * @return the moment, or empty for no bound
   */
  public Optional<Instant> diedBefore() {
    return died.until();
  }

  /**
   * The time over which tasks become pending.
   *
   * @return the time; zero means at once
   */
  public Duration spread() {
    return spread;
  }

  /**
   * Whether tasks are only counted.
   *
   * @return true if nothing is changed
   */
  public boolean isDryRun() {
    return dryRun;
  }
}
