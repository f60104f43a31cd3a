package dev.rota.control;

import java.time.Instant;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;

/**
 * Selects tasks of a tenant. A task has to meet all conditions. Immutable and thread-safe; each
 * method returns a copy.
 *
 * @see TaskControl#cancel(TaskFilter, String)
 */
public final class TaskFilter {

  private final Optional<Set<Long>> ids;
  private final Optional<String> kind;
  private final Optional<String> key;
  private final Optional<Instant> createdFrom;
  private final Optional<Instant> createdBefore;

  private TaskFilter(
      Optional<Set<Long>> ids,
      Optional<String> kind,
      Optional<String> key,
      Optional<Instant> createdFrom,
      Optional<Instant> createdBefore) {
    this.ids = ids;
    this.kind = kind;
    this.key = key;
    this.createdFrom = createdFrom;
    this.createdBefore = createdBefore;
  }

  /**
   * Selects every task.
   *
   * @return the filter that excludes nothing
   */
  public static TaskFilter all() {
    return new TaskFilter(
        Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
  }

  /**
   * Selects only these tasks.
   *
   * @param newIds the ids of the tasks; unknown ones are allowed
   * @return a copy with this condition
   */
  public TaskFilter ids(Collection<Long> newIds) {
    return new TaskFilter(Optional.of(Set.copyOf(newIds)), kind, key, createdFrom, createdBefore);
  }

  /**
   * Selects only tasks of this kind.
   *
   * @param newKind the kind, compared exactly
   * @return a copy with this condition
   */
  public TaskFilter kind(String newKind) {
    return new TaskFilter(ids, Optional.of(newKind), key, createdFrom, createdBefore);
  }

  /**
   * Selects only the task with this key.
   *
   * @param newKey the text of the key, compared exactly
   * @return a copy with this condition
   */
  public TaskFilter key(String newKey) {
    return new TaskFilter(ids, kind, Optional.of(newKey), createdFrom, createdBefore);
  }

  /**
   * Selects only tasks enqueued at this time or later.
   *
   * @param from the first moment that counts, by the clock of the database
   * @return a copy with this condition
   */
  public TaskFilter createdFrom(Instant from) {
    return new TaskFilter(ids, kind, key, Optional.of(from), createdBefore);
  }

  /**
   * Selects only tasks enqueued before this time.
   *
   * @param until the first moment that no longer counts, by the clock of the database
   * @return a copy with this condition
   */
  public TaskFilter createdBefore(Instant until) {
    return new TaskFilter(ids, kind, key, createdFrom, Optional.of(until));
  }

  /**
   * The selected tasks.
   *
   * @return an unmodifiable set of ids, or empty for all
   */
  public Optional<Set<Long>> ids() {
    return ids;
  }

  /**
   * The selected kind.
   *
   * @return the kind, or empty for all
   */
  public Optional<String> kind() {
    return kind;
  }

  /**
   * The selected key.
   *
   * @return the text of the key, or empty for all
   */
  public Optional<String> key() {
    return key;
  }

  /**
   * The first selected time of enqueue.
   *
   * @return the moment, or empty for no bound
   */
  public Optional<Instant> createdFrom() {
    return createdFrom;
  }

  /**
   * The first time of enqueue that is no longer selected.
   *
   * @return the moment, or empty for no bound
   */
  public Optional<Instant> createdBefore() {
    return createdBefore;
  }
}
