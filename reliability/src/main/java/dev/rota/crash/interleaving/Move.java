package dev.rota.crash.interleaving;

/**
 * A possible next move.
 *
 * @param actor the number of an actor
 * @param name its name
 * @param call the next call of the actor, or {@value #GIVE_UP}
 */
record Move(int actor, String name, String call) {

  /** The actor waits for a lock, and is made to stop waiting. */
  static final String GIVE_UP = "give up";

  boolean givesUp() {
    return call.equals(GIVE_UP);
  }

  @Override
  public String toString() {
    return name + ":" + call;
  }
}
