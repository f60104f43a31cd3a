package dev.rota.crash.interleaving;

import org.jspecify.annotations.Nullable;

/** An actor and its state. Its fields are guarded by the gate. */
final class Actor {

  /** The activity of an actor. */
  enum State {
    RUNNING,
    /** Stopped before a call. */
    READY,
    /** Waits in the database for another actor. */
    BLOCKED,
    ENDED
  }

  final int number;
  final Role role;
  final Thread thread;
  State state = State.RUNNING;
  String call = "";
  boolean granted;

  /** Whether nothing was sent since it was stopped: further calls travel in the same flush. */
  boolean inFlush;

  /** Whether it was stopped in its present transaction: the end of another one is no new step. */
  boolean stoppedInTransaction;

  @Nullable Throwable failure;

  Actor(int number, Role role, Thread thread) {
    this.number = number;
    this.role = role;
    this.thread = thread;
  }

  Move move() {
    return new Move(number, role.name(), state == State.BLOCKED ? Move.GIVE_UP : call);
  }
}
