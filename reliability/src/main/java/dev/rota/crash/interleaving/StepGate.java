package dev.rota.crash.interleaving;

import dev.rota.internal.db.StatementObserver;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Where actors act: each is stopped before every flush that it sends to the database, and before
 * the end of its transactions, until it is granted the next step. Other threads pass. Its monitor
 * guards the states of the actors.
 */
final class StepGate implements StatementObserver {

  /** What only reads what no other actor changes, or belongs to the process alone. */
  private static final Set<String> QUIET =
      Set.of(
          "jooq",
          "draw ids",
          "heartbeat",
          "look up tables",
          "look for waiting tasks",
          "next due",
          "find dead workers",
          "find batches",
          "find retirable segments",
          "read extent",
          "list ledger segments",
          "size of ledger segment",
          "wait briefly");

  private final Map<Thread, Actor> cast = new ConcurrentHashMap<>();
  private boolean released;

  @Override
  public void before(String call) {
    Actor actor = cast.get(Thread.currentThread());
    if (actor == null || actor.inFlush || QUIET.contains(call)) {
      return;
    }
    if (call.equals("commit") && !actor.stoppedInTransaction) {
      return;
    }
    actor.inFlush = true;
    stop(actor, call);
  }

  @Override
  public void after(String call) {
    sent();
    if (call.equals("commit")) {
      transactionEnded();
    }
  }

  /** A flush of this thread is on its way. */
  void sent() {
    Actor actor = cast.get(Thread.currentThread());
    if (actor != null) {
      actor.inFlush = false;
    }
  }

  /** A transaction of this thread is over. */
  void transactionEnded() {
    Actor actor = cast.get(Thread.currentThread());
    if (actor != null) {
      actor.inFlush = false;
      actor.stoppedInTransaction = false;
    }
  }

  /** A step that does not go through the seam, such as the commit of a caller. */
  void step(String what) {
    Actor actor = cast.get(Thread.currentThread());
    if (actor != null) {
      stop(actor, what);
    }
  }

  private synchronized void stop(Actor actor, String call) {
    if (released) {
      return;
    }
    actor.stoppedInTransaction = true;
    actor.call = call;
    actor.state = Actor.State.READY;
    notifyAll();
    while (!actor.granted && !released) {
      pause(0);
    }
    actor.granted = false;
    actor.state = Actor.State.RUNNING;
  }

  /** Gives the monitor away until something happened; callers look again whether it did. */
  @SuppressWarnings("WaitNotInLoop")
  void pause(long millis) {
    try {
      wait(millis);
    } catch (InterruptedException e) {
      throw new IllegalStateException("nobody interrupts a play", e);
    }
  }

  /** From now on these threads are stopped. */
  synchronized void enter(List<Actor> actors) {
    released = false;
    cast.clear();
    actors.forEach(actor -> cast.put(actor.thread, actor));
  }

  /** Lets the actor make its next step. */
  synchronized void grant(Actor actor) {
    actor.state = Actor.State.RUNNING;
    actor.granted = true;
    notifyAll();
  }

  /** Plays the role to its end, on the thread of the actor. */
  void act(Actor actor) {
    Throwable failure = null;
    try {
      actor.role.body().play();
    } catch (Throwable e) {
      failure = e;
    }
    synchronized (this) {
      actor.failure = failure;
      actor.state = Actor.State.ENDED;
      notifyAll();
    }
  }

  /** Stops nobody any more. */
  synchronized void release() {
    released = true;
    notifyAll();
  }
}
