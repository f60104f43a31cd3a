package dev.rota.internal.db;

import dev.rota.internal.db.Session.TransactionSettings;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The longest that a statement of the calling thread may run, where it has such a limit. */
public final class StatementLimit {

  private static final ThreadLocal<@Nullable Duration> OF_THREAD = new ThreadLocal<>();

  private StatementLimit() {}

  /** Runs work under a limit, or under that of the work around it if that one is shorter. */
  public static <T> T within(Duration longest, Supplier<T> work) {
    Duration outer = OF_THREAD.get();
    OF_THREAD.set(outer == null || longest.compareTo(outer) < 0 ? longest : outer);
    try {
      return work.get();
    } finally {
      if (outer == null) {
        OF_THREAD.remove();
      } else {
        OF_THREAD.set(outer);
      }
    }
  }

  /** The settings of a transaction of the calling thread. */
  static TransactionSettings on(TransactionSettings own) {
    Duration longest = OF_THREAD.get();
    return longest == null ? own : own.atMost(longest);
  }
}
