package dev.rota.testing;

import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A script of faults at the calls that a program makes to a database. Connections break, answers
 * get lost, threads are held. The script also counts the calls. An observer of the calls reports
 * each one to it.
 *
 * <pre>{@code
 * faults.before("claim").fail();
 * faults.after("commit").inTransactionOf("enqueue").loseAnswer();
 * ScriptedFault settle = faults.before("close batches").hold();
 * settle.awaitReached();
 * settle.release();
 * }</pre>
 *
 * <p>A test expects each fault: {@link #close} fails if one was not reached. Thread-safe.
 */
public final class Faults implements AutoCloseable {

  /** The side of a call on which a fault happens. */
  public enum Moment {
    /** Before the call is sent. */
    BEFORE,
    /** After it was answered. */
    AFTER
  }

  private static final Set<String> ENDS_OF_TRANSACTIONS = Set.of("commit", "rollback");

  private final List<ScriptedFault> script = new CopyOnWriteArrayList<>();
  private final Map<String, Integer> counts = new ConcurrentHashMap<>();
  private final ThreadLocal<Set<String>> transaction = ThreadLocal.withInitial(HashSet::new);

  /** Begins a fault before calls of this name; the caller chooses its effect next. */
  public ScriptedFault before(String call) {
    return at(Moment.BEFORE, call);
  }

  /** Begins a fault after calls of this name; the caller chooses its effect next. */
  public ScriptedFault after(String call) {
    return at(Moment.AFTER, call);
  }

  /** Begins a fault on one side of calls of this name; the caller chooses its effect next. */
  public ScriptedFault at(Moment moment, String call) {
    return new ScriptedFault(script, moment, call);
  }

  /** Begins a fault before calls of all names; the caller chooses its effect next. */
  public ScriptedFault beforeAnyCall() {
    return before(ScriptedFault.ANY_CALL);
  }

  /** Begins a fault after calls of all names; the caller chooses its effect next. */
  public ScriptedFault afterAnyCall() {
    return after(ScriptedFault.ANY_CALL);
  }

  /** Returns the number of calls of this name that were begun. */
  public int count(String call) {
    return counts.getOrDefault(call, 0);
  }

  /** Waits until this many further calls of this name were answered. */
  public void awaitMore(String call, int times) throws InterruptedException {
    after(call).watch().awaitReached(times);
  }

  /** Releases all held threads, and holds none from now on. */
  public void release() {
    script.forEach(ScriptedFault::release);
  }

  /** Plays the faults before a call; the program sends it unless this method fails. */
  public void beforeSending(String call) throws SQLException {
    counts.merge(call, 1, Integer::sum);
    transaction.get().add(call);
    play(Moment.BEFORE, call);
  }

  /** Plays the faults after the answer to a call. */
  public void afterAnswer(String call) throws SQLException {
    play(Moment.AFTER, call);
  }

  private void play(Moment moment, String call) throws SQLException {
    boolean goesOn = false;
    try {
      for (ScriptedFault fault : script) {
        fault.onCall(moment, call, transaction.get());
      }
      goesOn = moment == Moment.BEFORE;
    } finally {
      if (!goesOn && ENDS_OF_TRANSACTIONS.contains(call)) {
        transaction.remove();
      }
    }
  }

  /** Ends the script; fails if an expected fault was not reached. */
  @Override
  public void close() {
    release();
    List<String> missing =
        script.stream().filter(ScriptedFault::isMissing).map(ScriptedFault::toString).toList();
    if (!missing.isEmpty()) {
      throw new AssertionError(
          "not reached: " + missing + "; the calls were " + new TreeMap<>(counts));
    }
  }
}
