package dev.rota.internal.db;

import dev.rota.internal.log.Logs;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;

/**
 * Which history of which server this process talks to, as each of its transactions finds out. A
 * restore of a backup and the promotion of a standby begin another one, in which numbers that were
 * drawn before may come again. Thread-safe.
 *
 * <p>The time at which the server was started tells: a restore and a promotion both lead to a
 * server that was started at another time. That a plain restart changes it too costs no more than
 * some numbers. Rejected: the timeline and the identifier of the system. Managed servers do not
 * show them, and a copy of the data directory that is started without recovery has the same.
 */
public final class ServerHistory {

  private static final Logger log = Logs.of(ServerHistory.class);

  private final Map<Witness, String> seen = new ConcurrentHashMap<>();
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

  /** What tells one history from another. */
  public enum Witness {
    /** When the server was started. */
    SERVER_START,
    /** Which database and tables they are: a dump may be restored into the server that runs. */
    DATABASE
  }

  /**
   * Has this done whenever another history is met, on the thread of the transaction that met it.
   */
  public void onChange(Runnable listener) {
    listeners.add(listener);
  }

  /** A transaction has seen a witness. */
  public void met(Witness witness, String value) {
    if (!value.equals(seen.get(witness))) {
      changed(witness, value);
    }
  }

  private synchronized void changed(Witness witness, String value) {
    String before = seen.get(witness);
    if (before != null && !before.equals(value)) {
      listeners.forEach(Runnable::run);
      log.info(
          "the server was started anew, restored or replaced by a standby: Rota draws new numbers for"
              + " tasks and batches, and looks whether it is still registered as a worker");
    }
    seen.put(witness, value);
  }
}
