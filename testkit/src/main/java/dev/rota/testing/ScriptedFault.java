package dev.rota.testing;

import dev.rota.testing.Faults.Moment;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * One fault of {@link Faults}: the calls at which it happens, and its effect. The first methods
 * narrow the calls down. The next ones choose the effect and add the fault to the script; from then
 * on it is thread-safe.
 */
public final class ScriptedFault {

  static final String ANY_CALL = "any call";

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Duration LONGEST_HOLD = Duration.ofMinutes(4);
  private static final String CONNECTION_FAILURE = "08006";

  /** The effect of a fault, run by the calling thread; an exception fails the call. */
  @FunctionalInterface
  public interface Action {
    void run() throws Exception;
  }

  /** The effect of a fault that depends on the name of the call. */
  @FunctionalInterface
  public interface CallAction {
    void run(String call) throws Exception;
  }

  private final List<ScriptedFault> script;
  private final Moment moment;
  private final String call;
  private final CountDownLatch released = new CountDownLatch(1);
  private Predicate<Thread> threads = thread -> true;
  private Set<String> transaction = Set.of();
  private int first = 1;
  private int times;
  private boolean optional;
  private boolean holding;
  private String description = "";
  private CallAction action = unused -> {};
  private int matched;
  private int reached;
  private boolean stopped;

  ScriptedFault(List<ScriptedFault> script, Moment moment, String call) {
    this.script = script;
    this.moment = moment;
    this.call = call;
  }

  /** Limits the fault to the current thread. */
  public ScriptedFault byThisThread() {
    Thread own = Thread.currentThread();
    return byThreads(thread -> thread == own);
  }

  /** Limits the fault to threads other than the current one. */
  public ScriptedFault byOtherThreads() {
    Thread own = Thread.currentThread();
    return byThreads(thread -> thread != own);
  }

  /** Limits the fault to threads that match a predicate. */
  public ScriptedFault byThreads(Predicate<Thread> predicate) {
    threads = predicate;
    return this;
  }

  /** Limits the fault to transactions in which the thread has made an earlier call. */
  public ScriptedFault inTransactionOf(String earlier) {
    transaction = Set.of(earlier);
    return this;
  }

  /** Lets the fault happen from this call on; the next matching call is number 1. */
  public ScriptedFault from(int number) {
    first = number;
    return this;
  }

  /** Sets how many times the fault happens, instead of the default of its effect. */
  public ScriptedFault times(int count) {
    times = count;
    return this;
  }

  /** Lets the fault happen each time. */
  public ScriptedFault always() {
    return times(Integer.MAX_VALUE);
  }

  /** Allows the script to end before the fault was reached. */
  public ScriptedFault optional() {
    optional = true;
    return this;
  }

  /** Breaks the connection, once by default. */
  public ScriptedFault fail() {
    return fail("the connection breaks", CONNECTION_FAILURE);
  }

  /** Lets the server refuse the call with this SQLSTATE, once by default. */
  public ScriptedFault fail(String state) {
    return fail("the server refuses with " + state, state);
  }

  /** Ends the call with an error, once by default. */
  public ScriptedFault fail(Supplier<? extends Error> error) {
    return add(
        "an error",
        1,
        unused -> {
          throw error.get();
        });
  }

  /** Loses the answer to a call that the server has executed, once by default. */
  public ScriptedFault loseAnswer() {
    if (moment == Moment.BEFORE) {
      throw new IllegalStateException("before a call there is no answer that could be lost");
    }
    return fail("the answer is lost", CONNECTION_FAILURE);
  }

  /** Holds each thread there until {@link #release}. */
  public ScriptedFault hold() {
    holding = true;
    return add("threads are held", Integer.MAX_VALUE, unused -> awaitRelease());
  }

  /** Runs an action there, once by default. */
  public ScriptedFault run(Action body) {
    return add("an action runs", 1, unused -> body.run());
  }

  /** Reports each call to a listener; none is expected. */
  public ScriptedFault tell(CallAction listener) {
    return optional().add("a listener is told", Integer.MAX_VALUE, listener);
  }

  /** Counts the calls for {@link #awaitReached}; none is expected. */
  public ScriptedFault watch() {
    return tell(unused -> {});
  }

  private ScriptedFault fail(String event, String state) {
    return add(
        event,
        1,
        begun -> {
          throw new SQLException(
              "%s %s %s, by order of a test".formatted(event, side(), begun), state);
        });
  }

  private ScriptedFault add(String event, int usualTimes, CallAction effect) {
    description = event;
    times = times == 0 ? usualTimes : times;
    action = effect;
    script.add(this);
    return this;
  }

  private void awaitRelease() throws SQLException {
    try {
      if (!released.await(LONGEST_HOLD.toSeconds(), TimeUnit.SECONDS)) {
        throw new SQLException("held for " + LONGEST_HOLD + " and not released: " + this);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SQLException("interrupted while held by a test", e);
    }
  }

  /** Ends a hold: waiting threads continue, and later ones pass. */
  public void release() {
    if (holding) {
      stop();
      released.countDown();
    }
  }

  /** Ends the fault: nothing happens from now on. */
  public synchronized void stop() {
    stopped = true;
  }

  /** Returns how many times the fault was reached. */
  public synchronized int reached() {
    return reached;
  }

  /** Returns whether the fault was reached at least once. */
  public boolean isReached() {
    return reached() > 0;
  }

  /** Waits until the fault is reached; fails after 30 seconds. */
  public void awaitReached() throws InterruptedException {
    awaitReached(1);
  }

  /** Waits until the fault was reached this many times; fails after 30 seconds. */
  public synchronized void awaitReached(int count) throws InterruptedException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (reached < count) {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        throw new AssertionError(
            "after %d s not reached %d times: %s".formatted(PATIENCE.toSeconds(), count, this));
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
  }

  /** Performs the fault if the call matches. */
  void onCall(Moment now, String begun, Set<String> sent) throws SQLException {
    if (now == moment
        && (call.equals(ANY_CALL) || call.equals(begun))
        && threads.test(Thread.currentThread())
        && sent.containsAll(transaction)
        && claimTurn()) {
      perform(begun);
    }
  }

  private synchronized boolean claimTurn() {
    if (stopped || reached >= times || ++matched < first) {
      return false;
    }
    reached++;
    notifyAll();
    return true;
  }

  private void perform(String begun) throws SQLException {
    try {
      action.run(begun);
    } catch (SQLException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException("an action of a test failed " + side() + " " + begun, e);
    }
  }

  /** Returns whether the fault was expected more often than it was reached. */
  synchronized boolean isMissing() {
    return !optional && reached < (times == Integer.MAX_VALUE ? 1 : times);
  }

  private String side() {
    return moment == Moment.BEFORE ? "before" : "after";
  }

  @Override
  public synchronized String toString() {
    return "%s %s %s%s, reached %d times"
        .formatted(
            description,
            side(),
            call,
            transaction.isEmpty() ? "" : " in a transaction of " + transaction,
            reached);
  }
}
