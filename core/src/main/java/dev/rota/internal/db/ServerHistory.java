package dev.rota.internal.db;

import dev.rota.internal.log.Logs;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Tracks the server history that this process talks to, as seen by each of its transactions. A
 * restore of a backup and the promotion of a standby begin another history, in which numbers that
 * were drawn before may come again. Thread-safe.
 *
 * <p>The server's start time identifies the history: a restore and a promotion both lead to a
 * server that was started at another time. A plain restart changes it too, which costs no more than
 * some numbers. Rejected: the timeline and the system identifier. Managed servers do not show them,
 * and a copy of the data directory that is started without recovery has the same.
 */
public final class ServerHistory {

  private static final Logger log = Logs.of(ServerHistory.class);

  private final Map<Witness, String> seen = new ConcurrentHashMap<>();
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
  private final AtomicInteger changes = new AtomicInteger();

  /** The values that distinguish histories. */
  public enum Witness {
    /** The start time of the server. */
    SERVER_START,
    /**
     * The identity of the database and its tables: a dump may be restored into a running server.
     */
    DATABASE
  }

  /**
   * Registers a listener that is called when another history is met, on the thread of the
   * transaction that met it.
   */
  public void onChange(Runnable listener) {
    listeners.add(listener);
  }

  /** The number of changes that were noticed. */
  int changes() {
    return changes.get();
  }

  /** Whether a server's start time is that of the present history. */
  boolean isPresent(@Nullable String serverStart) {
    return serverStart != null && serverStart.equals(seen.get(Witness.SERVER_START));
  }

  /** Records a value that a transaction has seen. */
  public void met(Witness witness, String value) {
    if (!value.equals(seen.get(witness))) {
      changed(witness, value);
    }
  }

  private synchronized void changed(Witness witness, String value) {
    String before = seen.get(witness);
    if (before != null && !before.equals(value)) {
      listeners.forEach(Runnable::run);
      changes.incrementAndGet();
      log.info(
          "the server was started anew, restored or replaced by a standby: Rota draws new numbers for"
              + " tasks and batches, and looks whether it is still registered as a worker");
    }
    seen.put(witness, value);
  }
}
