package dev.rota.dashboard.internal.view;

import dev.rota.RotaException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;

/** Says why the database did not answer, and what to do about it. */
public final class Refusal {

  /** The longest that one statement of a page may run. */
  public static final Duration LONGEST_STATEMENT = Duration.ofSeconds(2);

  /** What the server says when a statement or a lock took too long. */
  private static final Set<String> TOO_SLOW = Set.of("57014", "55P03");

  private Refusal() {}

  /** The reason in words. */
  public static String text(RotaException e) {
    return isTooSlow(e)
        ? ("The database took longer than %d s, the limit of a page: a session holds a lock, or the"
                + " server is busy. Look for such a session in pg_stat_activity and end it, or try"
                + " again later. (%s)")
            .formatted(LONGEST_STATEMENT.toSeconds(), e.getMessage())
        : String.valueOf(e.getMessage());
  }

  private static boolean isTooSlow(RotaException e) {
    return e.getCause() instanceof SQLException cause
        && TOO_SLOW.contains(String.valueOf(cause.getSQLState()));
  }
}
