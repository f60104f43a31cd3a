package dev.rota;

import java.util.OptionalInt;

/** Thrown when a task breaks a limit. Nothing was inserted. */
public final class InvalidTaskException extends RotaException {

  private static final long serialVersionUID = 1L;

  private final String field;
  private final int index;

  /**
   * Creates the exception.
   *
   * @param message what is wrong and what is allowed
   * @param field the field that breaks the limit: {@code kind}, {@code payload}, {@code runAt} or
   *     {@code delay}
   * @param index the index in the list that was enqueued, or -1 for a single task
   */
  public InvalidTaskException(String message, String field, int index) {
    super(message);
    this.field = field;
    this.index = index;
  }

  /**
   * The field that breaks the limit.
   *
   * @return {@code kind}, {@code payload}, {@code runAt} or {@code delay}
   */
  public String field() {
    return field;
  }

  /**
   * The index of the task in the list that was enqueued.
   *
   * @return the index, or empty if a single task was enqueued
   */
  public OptionalInt index() {
    return index < 0 ? OptionalInt.empty() : OptionalInt.of(index);
  }
}
