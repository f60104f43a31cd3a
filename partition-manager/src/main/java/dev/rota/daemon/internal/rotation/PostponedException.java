package dev.rota.daemon.internal.rotation;

/** Thrown to roll back a ring switch that is not possible at present. */
public final class PostponedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final boolean undrained;

  private PostponedException(String reason, boolean undrained) {
    super(reason, null, false, false);
    this.undrained = undrained;
  }

  static PostponedException notDrained(int slot) {
    return new PostponedException("not drained: slot " + slot + " still holds tasks", true);
  }

  static PostponedException locked(int slot, String cause) {
    return new PostponedException(
        "lock not available: slot " + slot + " is in use (" + cause + ")", false);
  }

  static PostponedException failed(String cause) {
    return new PostponedException("failed: " + cause, false);
  }

  String reason() {
    return String.valueOf(getMessage());
  }

  /** Whether tasks in the next slot are the reason. */
  boolean isUndrained() {
    return undrained;
  }
}
