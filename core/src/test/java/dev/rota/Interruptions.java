package dev.rota;

import dev.rota.internal.db.StatementObserver;
import java.sql.SQLException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/** Fails one call to the database, and counts all of them. */
final class Interruptions implements StatementObserver {

  /** Where a call is interrupted. */
  enum Moment {
    BEFORE,
    AFTER
  }

  /** What happens there. */
  @FunctionalInterface
  interface Accident {
    void happen() throws SQLException;
  }

  private record Held(Thread owner, String call, CountDownLatch released) {}

  private record Armed(Thread thread, Moment moment, String call, Accident accident) {}

  private final AtomicReference<Armed> armed = new AtomicReference<>();
  private final ConcurrentMap<String, AtomicLong> counts = new ConcurrentHashMap<>();
  private volatile boolean away;
  private volatile Held held = new Held(Thread.currentThread(), "", new CountDownLatch(0));

  /** An accident of the next such call of this thread, once. */
  void next(Moment moment, String call, Accident accident) {
    armed.set(new Armed(Thread.currentThread(), moment, call, accident));
  }

  /** The connection breaks at the next such call of this thread, once. */
  void breakNext(Moment moment, String call) {
    next(
        moment,
        call,
        () -> {
          throw new SQLException("the connection broke, by order of a test", "08006");
        });
  }

  /** From now on, whether every call of every thread finds the database away. */
  void setAway(boolean away) {
    this.away = away;
  }

  /** Other threads than this one wait before such a call until they are released. */
  void holdOthers(String call) {
    held = new Held(Thread.currentThread(), call, new CountDownLatch(1));
  }

  /** Releases the held calls. */
  void releaseOthers() {
    held.released().countDown();
  }

  /** Whether the accident is still to come. */
  boolean isArmed() {
    return armed.get() != null;
  }

  /** How many such calls were begun. */
  long count(String call) {
    AtomicLong count = counts.get(call);
    return count == null ? 0 : count.get();
  }

  @Override
  public void before(String call) throws SQLException {
    counts.computeIfAbsent(call, unused -> new AtomicLong()).incrementAndGet();
    if (away) {
      throw new SQLException("the database is away, by order of a test", "08006");
    }
    waitIfHeld(call);
    strike(Moment.BEFORE, call);
  }

  private void waitIfHeld(String call) throws SQLException {
    Held now = held;
    if (now.call().equals(call) && now.owner() != Thread.currentThread()) {
      try {
        now.released().await();
      } catch (InterruptedException e) {
        throw new SQLException("interrupted while held by a test", e);
      }
    }
  }

  @Override
  public void after(String call) throws SQLException {
    strike(Moment.AFTER, call);
  }

  private void strike(Moment moment, String call) throws SQLException {
    Armed now = armed.get();
    if (now != null
        && now.thread() == Thread.currentThread()
        && now.moment() == moment
        && now.call().equals(call)
        && armed.compareAndSet(now, null)) {
      now.accident().happen();
    }
  }
}
