package dev.rota.history;

import dev.rota.TaskState;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Selects the attempts that {@link History#page(HistoryFilter)} returns, and the size of a page.
 * Immutable and thread-safe; each method returns a copy.
 */
public final class HistoryFilter {

  /** The number of attempts on a page unless {@link #limit(int)} sets another. */
  public static final int DEFAULT_LIMIT = 100;

  /** The most attempts a page may hold. */
  public static final int MAX_LIMIT = 10_000;

  private final Subject subject;
  private final Interval created;
  private final int limit;
  private final Optional<String> cursor;

  private HistoryFilter(Subject subject, Interval created, int limit, Optional<String> cursor) {
    this.subject = subject;
    this.created = created;
    this.limit = limit;
    this.cursor = cursor;
  }

  /**
   * Selects everything, newest first, {@value #DEFAULT_LIMIT} a page.
   *
   * @return the filter that excludes nothing
   */
  public static HistoryFilter all() {
    return new HistoryFilter(
        new Subject(EnumSet.allOf(TaskState.class), Optional.empty(), OptionalLong.empty()),
        new Interval(Optional.empty(), Optional.empty()),
        DEFAULT_LIMIT,
        Optional.empty());
  }

  /**
   * Selects only attempts in one of these states.
   *
   * @param first a state
   * @param others further states
   * @return a copy with this condition
   */
  public HistoryFilter states(TaskState first, TaskState... others) {
    return states(EnumSet.of(first, others));
  }

  /**
   * Selects only attempts in one of these states.
   *
   * @param newStates at least one
   * @return a copy with this condition
   * @throws IllegalArgumentException if there is none
   */
  public HistoryFilter states(Set<TaskState> newStates) {
    if (newStates.isEmpty()) {
      throw new IllegalArgumentException("no state is given; name at least one");
    }
    return about(new Subject(EnumSet.copyOf(newStates), subject.kind(), subject.taskId()));
  }

  /**
   * Selects only tasks of this kind.
   *
   * @param newKind the kind, compared exactly
   * @return a copy with this condition
   */
  public HistoryFilter kind(String newKind) {
    return about(new Subject(subject.states(), Optional.of(newKind), subject.taskId()));
  }

  /**
   * Selects only the attempts of one task.
   *
   * @param id the id of the task
   * @return a copy with this condition
   */
  public HistoryFilter taskId(long id) {
    return about(new Subject(subject.states(), subject.kind(), OptionalLong.of(id)));
  }

  /**
   * Selects only tasks enqueued at this time or later.
   *
   * @param from the first moment that counts
   * @return a copy with this condition
   */
  public HistoryFilter createdFrom(Instant from) {
    return new HistoryFilter(
        subject, new Interval(Optional.of(from), created.until()), limit, cursor);
  }

  /**
   * Selects only tasks enqueued before this time.
   *
   * @param until the first moment that no longer counts
   * @return a copy with this condition
   */
  public HistoryFilter createdBefore(Instant until) {
    return new HistoryFilter(
        subject, new Interval(created.from(), Optional.of(until)), limit, cursor);
  }

  /**
   * Sets the size of a page.
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
    return new HistoryFilter(subject, created, newLimit, cursor);
  }

  /**
   * Continues behind the page that returned this cursor. The other conditions must be the same.
   *
   * @param newCursor the value of {@link HistoryPage#nextCursor()}
   * @return a copy that starts behind the cursor
   */
  public HistoryFilter after(String newCursor) {
    return new HistoryFilter(
        subject, created, limit, Optional.of(Objects.requireNonNull(newCursor)));
  }

  /**
   * The selected states.
   *
   * @return an unmodifiable set
   */
  public Set<TaskState> states() {
    return Set.copyOf(subject.states());
  }

  /**
   * The selected kind.
   *
   * @return the kind, or empty for all kinds
   */
  public Optional<String> kind() {
    return subject.kind();
  }

  /**
   * The selected task.
   *
   * @return its id, or empty for all tasks
   */
  public OptionalLong taskId() {
    return subject.taskId();
  }

  /**
   * The first selected time of enqueue.
   *
   * @return the moment, or empty for no bound
   */
  public Optional<Instant> createdFrom() {
    return created.from();
  }

  /**
   * The first time of enqueue that is no longer selected.
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
   * The cursor behind which to continue.
   *
   * @return the cursor, or empty for the first page
   */
  public Optional<String> cursor() {
    return cursor;
  }

  private HistoryFilter about(Subject other) {
    return new HistoryFilter(other, created, limit, cursor);
  }

  private record Subject(Set<TaskState> states, Optional<String> kind, OptionalLong taskId) {}

  private record Interval(Optional<Instant> from, Optional<Instant> until) {}
}
