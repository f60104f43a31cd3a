package dev.rota.crash.model;

/**
 * An attempt in history, in the model.
 *
 * @param label the task
 * @param attempt the number of the attempt
 * @param priority the priority of the task when it was claimed
 * @param segment its segment
 * @param state its state in history
 */
record ModelAttempt(Row.Label label, int attempt, int priority, int segment, String state) {

  ModelAttempt ended(String newState) {
    return new ModelAttempt(label, attempt, priority, segment, newState);
  }

  /** The task when it goes back to the ring. */
  Row back(int newAttempt) {
    return new Row(label, newAttempt, priority, Row.Wait.NOT);
  }

  /** Formats the attempt as a row of the view of history. */
  @Override
  public String toString() {
    return label.id() + " " + state + " attempt " + attempt + " in segment " + segment;
  }
}
