package dev.rota.crash.interleaving;

import dev.rota.internal.db.Session.StatementObserver;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Stops each actor before every flush and before the end of its transactions, until it is granted
 * the next step. Other threads pass. Its monitor guards the states of the actors.
 */
final class StepGate implements StatementObserver {

  /**
   * Calls that read only data which no other actor changes, or which belong to the process alone.
   */
  private static final Set<String> QUIET =
      Set.of(
          "jooq",
          "draw ids",
          "heartbeat",
          "look for changed rules",
          "look up tables",
          "look for waiting tasks",
          "next due",
          "find dead workers",
          "find batches",
          "find retirable segments",
          "read extent",
          "read the clock",
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

  /** Records that a flush of this thread is on its way. */
  void sent() {
    Actor actor = cast.get(Thread.currentThread());
    if (actor != null) {
      actor.inFlush = false;
    }
  }

  /** Records that a transaction of this thread is over. */
  void transactionEnded() {
    Actor actor = cast.get(Thread.currentThread());
    if (actor != null) {
      actor.inFlush = false;
      actor.stoppedInTransaction = false;
    }
  }

  /** Makes a step that does not pass the seam, such as the commit of a caller. */
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

  /** Releases the monitor until something happened; callers check again whether it did. */
  @SuppressWarnings("WaitNotInLoop")
  void pause(long millis) {
    try {
      wait(millis);
    } catch (InterruptedException e) {
      throw new IllegalStateException("a thread of a play was interrupted", e);
    }
  }

  /** Stops these threads from now on. */
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

  /** Stops no more threads. */
  synchronized void release() {
    released = true;
    notifyAll();
  }
}
