package dev.rota.internal.db;

import java.io.Serial;
import java.net.UnknownHostException;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when an attempt to connect fails. It names the destination, and the answer of the server
 * or the network.
 */
public final class NoConnectionException extends SQLException {

  @Serial private static final long serialVersionUID = 1L;

  private final String destination;

  NoConnectionException(Destination destination, SQLException cause) {
    super("cannot connect to " + destination + ": " + reason(cause), cause.getSQLState(), cause);
    this.destination = destination.toString();
  }

  /** The database, host and port. */
  public String destination() {
    return destination;
  }

  /** Finds an exception of this class among an exception and its causes. */
  static @Nullable NoConnectionException in(Throwable failure) {
    for (Throwable each = failure; each != null; each = each.getCause()) {
      if (each instanceof NoConnectionException found) {
        return found;
      }
    }
    return null;
  }

  private static String reason(SQLException failure) {
    Throwable cause = failure.getCause();
    if (cause instanceof UnknownHostException) {
      return "the host " + cause.getMessage() + " is unknown";
    }
    String said = SqlErrors.firstLineOf(failure);
    return cause == null || cause.getMessage() == null || said.contains(cause.getMessage())
        ? said
        : said + " (" + SqlErrors.firstLineOf(cause) + ")";
  }
}
