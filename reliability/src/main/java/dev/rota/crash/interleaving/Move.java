package dev.rota.crash.interleaving;

/**
 * What can happen next.
 *
 * @param actor the number of an actor
 * @param name its name
 * @param call the call that it is going to make, or {@value #GIVE_UP}
 */
record Move(int actor, String name, String call) {

  /** The actor waits for a lock, and is told to stop waiting. */
  static final String GIVE_UP = "give up";

  boolean givesUp() {
    return call.equals(GIVE_UP);
  }

  @Override
  public String toString() {
    return name + ":" + call;
  }
}
