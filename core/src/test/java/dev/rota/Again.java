package dev.rota;

import dev.rota.internal.db.SqlErrors;
import java.util.function.Supplier;

/**
 * Repeats calls that were refused because other sessions held locks, as callers are advised to do.
 */
final class Again {

  private Again() {}

  /** The result of the first call that is not refused for that reason. */
  static <T> T whileLocked(Supplier<T> call) {
    while (true) {
      try {
        return call.get();
      } catch (DatabaseException e) {
        if (!e.unavailable() && !SqlErrors.isLockConflict(e)) {
          throw e;
        }
      }
    }
  }
}
