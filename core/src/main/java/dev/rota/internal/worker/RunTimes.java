package dev.rota.internal.worker;

/**
 * When the handlers of the tasks of a batch began, and how long they ran. What a handler's thread
 * writes is seen by who sees its outcomes, which are written after.
 */
final class RunTimes {

  private final long[] beganAt;
  private final long[] nanos;

  RunTimes(int tasks) {
    this.beganAt = new long[tasks];
    this.nanos = new long[tasks];
  }

  /** The tasks at these places begin together. */
  void begin(int[] places) {
    long now = System.nanoTime();
    for (int place : places) {
      beganAt[place] = now;
    }
  }

  /** They have ended; the time is shared out among them. */
  void end(int[] places) {
    long share = (System.nanoTime() - beganAt[places[0]]) / places.length;
    for (int place : places) {
      nanos[place] = share;
    }
  }

  long beganAt(int place) {
    return beganAt[place];
  }

  long nanos(int place) {
    return nanos[place];
  }
}
