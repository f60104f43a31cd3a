package dev.rota.cli.database;

import dev.rota.cli.common.CommandErrors;
import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Terminal;
import dev.rota.internal.db.SqlErrors;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Waits for a database that is unavailable when a daemon starts, as the daemon does later. Errors
 * that time does not solve fail at once: a wrong password, a database or schema that does not
 * exist.
 */
public final class FirstConnection {

  private static final long SHORTEST_PAUSE_MILLIS = 300;
  private static final long LONGEST_PAUSE_MILLIS = 600;

  /**
   * The states of a refused login, of one that the URL does not offer, and of a missing database.
   */
  private static final List<String> FINAL = List.of("28", "08004", "3D000");

  private final Terminal terminal;
  private final Secrets secrets;
  private String told = "";

  public FirstConnection(Terminal terminal, Secrets secrets) {
    this.terminal = terminal;
    this.secrets = secrets;
  }

  /** Repeats until the database answers; reports each new reason of a failure. */
  public <T> T await(Callable<T> attempt) throws Exception {
    while (true) {
      try {
        return attempt.call();
      } catch (RuntimeException e) {
        if (Thread.currentThread().isInterrupted() || !passes(e)) {
          throw e;
        }
        tell(secrets.scrub(CommandErrors.describe(e)));
      }
      Thread.sleep(
          ThreadLocalRandom.current().nextLong(SHORTEST_PAUSE_MILLIS, LONGEST_PAUSE_MILLIS));
    }
  }

  private void tell(String reason) {
    if (!reason.equals(told)) {
      told = reason;
      terminal.err().println("rota: " + reason + "; trying again until it works");
    }
  }

  private static boolean passes(RuntimeException failure) {
    List<SQLException> chain =
        CommandErrors.chain(failure).stream()
            .filter(SQLException.class::isInstance)
            .map(SQLException.class::cast)
            .toList();
    return chain.stream().anyMatch(SqlErrors::isUnavailable)
        && chain.stream().noneMatch(FirstConnection::isFinal);
  }

  private static boolean isFinal(SQLException failure) {
    String state = failure.getSQLState();
    return state != null && FINAL.stream().anyMatch(state::startsWith);
  }
}
