package dev.rota.crash.model;

/**
 * An attempt in history, in the model.
 *
 * @param label the task
 * @param attempt which attempt
 * @param priority of the task when it was claimed
 * @param segment where it stands
 * @param state as history calls it
 */
record ModelAttempt(Row.Label label, int attempt, int priority, int segment, String state) {

  ModelAttempt ended(String newState) {
    return new ModelAttempt(label, attempt, priority, segment, newState);
  }

  /** What the task is when it goes back to the ring. */
  Row back(int newAttempt) {
    return new Row(label, newAttempt, priority, Row.Wait.NOT);
  }

  /** As the view of history has it. */
  @Override
  public String toString() {
    return label.id() + " " + state + " attempt " + attempt + " in segment " + segment;
  }
}
