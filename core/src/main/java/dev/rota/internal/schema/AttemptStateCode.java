package dev.rota.internal.schema;

import dev.rota.TaskState;
import java.util.Locale;

/** The numbers in the column {@code state} of history. */
public enum AttemptStateCode {
  AS_BATCH(0, TaskState.RUNNING),
  DONE(1, TaskState.DONE),
  FAILED(2, TaskState.FAILED),
  DEAD(3, TaskState.DEAD),
  CANCELLED(4, TaskState.CANCELLED),
  LOST(5, TaskState.LOST),
  RELEASED(6, TaskState.RELEASED);

  private final short code;
  private final TaskState state;

  AttemptStateCode(int code, TaskState state) {
    this.code = (short) code;
    this.state = state;
  }

  /** The number in the column. */
  public short code() {
    return code;
  }

  /** The name of the state in views and in the API, in lower case. */
  public String label() {
    return state.name().toLowerCase(Locale.ROOT);
  }
}
