package dev.rota.crash.model;

import org.jspecify.annotations.Nullable;

/**
 * A task that is pending or waiting, in the model.
 *
 * @param label its constant properties
 * @param attempt the number of its attempts so far
 * @param priority its priority
 * @param place its location
 */
record Row(Label label, int attempt, int priority, Wait place) {

  /**
   * The constant properties of a task.
   *
   * @param id its number
   * @param kind its kind
   * @param key its key, or null
   */
  record Label(long id, String kind, @Nullable String key) {}

  /** The location of a task. */
  enum Wait {
    /** In the ring. */
    NOT,
    /** In the wait table, and its time has come. */
    DUE,
    /** In the wait table, for long. */
    LONG
  }

  static Row added(Label label, int priority, boolean delayed) {
    return new Row(label, 0, priority, delayed ? Wait.LONG : Wait.NOT);
  }

  Row with(int newAttempt, Wait newWait) {
    return new Row(label, newAttempt, priority, newWait);
  }

  Row withPriority(int newPriority) {
    return new Row(label, attempt, newPriority, place);
  }

  boolean isPending() {
    return place == Wait.NOT;
  }

  /** Formats the task as a row of the view of pending and waiting tasks. */
  @Override
  public String toString() {
    return label.id()
        + (isPending() ? " pending" : " waiting")
        + (" after " + attempt + " of priority " + priority + " as " + label.kind())
        + (label.key() == null ? "" : " key " + label.key());
  }
}
