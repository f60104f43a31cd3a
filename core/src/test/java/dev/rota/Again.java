package dev.rota;

import dev.rota.internal.db.SqlErrors;
import java.util.function.Supplier;

/** Repeats what was refused because others held locks, as its callers are told to do. */
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
