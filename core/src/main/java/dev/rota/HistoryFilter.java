package dev.rota;

import java.time.Instant;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Which attempts {@link Tenant#history(HistoryFilter)} returns, and how many at once. Immutable and
 * thread-safe; each method returns a copy.
 */
public final class HistoryFilter {

  /** The number of attempts on a page unless {@link #limit(int)} says otherwise. */
  public static final int DEFAULT_LIMIT = 100;

  /** The most attempts a page may hold. */
  public static final int MAX_LIMIT = 10_000;

  private final Set<TaskState> states;
  private final Optional<String> kind;
  private final Interval created;
  private final int limit;
  private final Optional<String> cursor;

  private HistoryFilter(
      Set<TaskState> states,
      Optional<String> kind,
      Interval created,
      int limit,
      Optional<String> cursor) {
    this.states = states;
    this.kind = kind;
    this.created = created;
    this.limit = limit;
    this.cursor = cursor;
  }

  /**
   * Everything, newest first, {@value #DEFAULT_LIMIT} a page.
   *
   * @return the filter that excludes nothing
   */
  public static HistoryFilter all() {
    return new HistoryFilter(
        EnumSet.allOf(TaskState.class),
        Optional.empty(),
        new Interval(Optional.empty(), Optional.empty()),
        DEFAULT_LIMIT,
        Optional.empty());
  }

  /**
   * Only attempts in one of these states.
   *
   * @param first a state
   * @param others further states
   * @return a copy with this condition
   */
  public HistoryFilter states(TaskState first, TaskState... others) {
    return new HistoryFilter(EnumSet.of(first, others), kind, created, limit, cursor);
  }

  /**
   * Only tasks of this kind.
   *
   * @param newKind the kind, compared exactly
   * @return a copy with this condition
   */
  public HistoryFilter kind(String newKind) {
    return new HistoryFilter(states, Optional.of(newKind), created, limit, cursor);
  }

  /**
   * Only tasks enqueued at this time or later.
   *
   * @param from the first moment that counts
   * @return a copy with this condition
   */
  public HistoryFilter createdFrom(Instant from) {
    return new HistoryFilter(
        states, kind, new Interval(Optional.of(from), created.until()), limit, cursor);
  }

  /**
   * Only tasks enqueued before this time.
   *
   * @param until the first moment that no longer counts
   * @return a copy with this condition
   */
  public HistoryFilter createdBefore(Instant until) {
    return new HistoryFilter(
        states, kind, new Interval(created.from(), Optional.of(until)), limit, cursor);
  }

  /**
   * The size of a page.
   *
   * @param newLimit 1 to {@value #MAX_LIMIT}
   * @return a copy with this limit
   * @throws IllegalArgumentException if the limit is out of range
   */
  public HistoryFilter limit(int newLimit) {
    if (newLimit < 1 || newLimit > MAX_LIMIT) {
      throw new IllegalArgumentException(
          "limit is " + newLimit + "; a page of history holds 1 to " + MAX_LIMIT + " attempts");
    }
    return new HistoryFilter(states, kind, created, newLimit, cursor);
  }

  /**
   * Continue behind the page that gave this cursor. The other conditions must be the same.
   *
   * @param newCursor what {@link HistoryPage#nextCursor()} returned
   * @return a copy that starts behind the cursor
   */
  public HistoryFilter after(String newCursor) {
    return new HistoryFilter(
        states, kind, created, limit, Optional.of(Objects.requireNonNull(newCursor)));
  }

  /**
   * The states that count.
   *
   * @return an unmodifiable set
   */
  public Set<TaskState> states() {
    return Set.copyOf(states);
  }

  /**
   * The kind that counts.
   *
   * @return the kind, or empty for all kinds
   */
  public Optional<String> kind() {
    return kind;
  }

  /**
   * The first moment of enqueue that counts.
   *
   * @return the moment, or empty for no bound
   */
  public Optional<Instant> createdFrom() {
    return created.from();
  }

  /**
   * The first moment of enqueue that no longer counts.
   *
   * @return the moment, or empty for no bound
   */
  public Optional<Instant> createdBefore() {
    return created.until();
  }

  /**
   * The size of a page.
   *
   * @return the most attempts a page holds
   */
  public int limit() {
    return limit;
  }

  /**
   * Where to continue.
   *
   * @return the cursor, or empty for the first page
   */
  public Optional<String> cursor() {
    return cursor;
  }

  private record Interval(Optional<Instant> from, Optional<Instant> until) {}
}
