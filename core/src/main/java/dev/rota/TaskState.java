package dev.rota;

/** The state of a task, or of one attempt of it. */
public enum TaskState {
  /** In the ring, to be claimed. */
  PENDING,
  /** In the wait table, to become pending at a set time. */
  WAITING,
  /** Claimed by a batch that is still open. */
  RUNNING,
  /** This attempt succeeded. Final. */
  DONE,
  /** This attempt failed and another one follows. */
  FAILED,
  /** This attempt failed and none follows. Final. */
  DEAD,
  /** Cancelled before it ended. Final. */
  CANCELLED,
  /** The worker of this attempt died or lost its lease; the task returned to the ring. */
  LOST,
  /** Claimed, but handed back before it began; the task returned to the ring. */
  RELEASED;

  /**
   * Whether a task in this state never runs again.
   *
   * @return true for {@link #DONE}, {@link #DEAD} and {@link #CANCELLED}
   */
  public boolean isFinal() {
    return this == DONE || this == DEAD || this == CANCELLED;
  }
}
