package dev.rota.control;

import dev.rota.TaskState;
import dev.rota.history.HistoryFilter;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Selects the tasks of a tenant's history that {@link TaskControl#replay(Replay)} enqueues once
 * more, and the time. Immutable and thread-safe; each method returns a copy.
 */
public final class Replay {

  /** How long a task that was replayed {@link #once(String)} is remembered. */
  public static final Duration REMEMBERED = Duration.ofDays(30);

  /** The final states of a task. */
  private static final Set<TaskState> FINAL =
      Set.of(TaskState.DONE, TaskState.DEAD, TaskState.CANCELLED);

  private static final int LONGEST_NAME = 50;

  private final HistoryFilter filter;
  private final Optional<String> name;
  private final Duration spread;
  private final boolean dryRun;

  private Replay(HistoryFilter filter, Optional<String> name, Duration spread, boolean dryRun) {
    this.filter = filter;
    this.name = name;
    this.spread = spread;
    this.dryRun = dryRun;
  }

  /**
   * Selects tasks by a filter on their last attempt, to run at once. Attempts that were followed by
   * another one, or are still running, do not count. Each stage of a pipeline that a task passed
   * counts separately.
   *
   * @param filter the tasks, by kind, time of enqueue, id and state. Of the states only {@link
   *     TaskState#DONE}, {@link TaskState#DEAD} and {@link TaskState#CANCELLED} are used, and its
   *     limit is ignored
   * @return a replay
   * @throws IllegalArgumentException if the filter has a cursor, or none of the three states
   */
  public static Replay of(HistoryFilter filter) {
    if (filter.cursor().isPresent()) {
      throw new IllegalArgumentException(
          "the filter has a cursor; a replay has no pages, leave out after(cursor)");
    }
    Set<TaskState> states = EnumSet.copyOf(filter.states());
    states.retainAll(FINAL);
    if (states.isEmpty()) {
      throw new IllegalArgumentException(
          "the filter asks for "
              + filter.states()
              + "; only done, dead and cancelled tasks can be"
              + " replayed");
    }
    return new Replay(filter.states(states), Optional.empty(), Duration.ZERO, false);
  }

  /**
   * Names the replay, which makes it safe to repeat: a task that a replay of this name has enqueued
   * is not enqueued again within {@link #REMEMBERED}. Without a name each call enqueues all.
   *
   * @param newName 1 to 50 characters out of {@code A-Z a-z 0-9 . _ -}
   * @return a copy with this name
   * @throws IllegalArgumentException if malformed
   */
  public Replay once(String newName) {
    if (!newName.matches("[A-Za-z0-9._-]{1," + LONGEST_NAME + "}")) {
      throw new IllegalArgumentException(
          "the name of the replay is malformed; use 1 to 50 characters out of A-Z a-z 0-9 . _ -");
    }
    return new Replay(filter, Optional.of(newName), spread, dryRun);
  }

  /**
   * Spreads the tasks: each waits for a random part of this time. A daemon must be running.
   *
   * @param time the time over which they become pending; zero, the default, means at once
   * @return a copy that spreads the tasks
   * @throws IllegalArgumentException if the time is negative or longer than {@link
   *     Redrive#LONGEST_SPREAD}
   */
  public Replay spreadOver(Duration time) {
    if (time.isNegative() || time.compareTo(Redrive.LONGEST_SPREAD) > 0) {
      throw new IllegalArgumentException(
          ("spreadOver is " + time + "; allowed are zero to ")
              + (Redrive.LONGEST_SPREAD.toDays() + " days"));
    }
    return new Replay(filter, name, Objects.requireNonNull(time), dryRun);
  }

  /**
   * Only counts the tasks, and enqueues nothing.
   *
   * @return a copy that counts
   */
  public Replay dryRun() {
    return new Replay(filter, name, spread, true);
  }

  /**
   * The filter of the tasks.
   *
   * @return the filter, without states that are not final
   */
  public HistoryFilter filter() {
    return filter;
  }

  /**
   * The name under which tasks are replayed once.
   *
   * @return the name, or empty if each call enqueues all
   */
  public Optional<String> name() {
    return name;
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
   * @return true if nothing is enqueued
   */
  public boolean isDryRun() {
    return dryRun;
  }
}
