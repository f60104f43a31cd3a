package dev.rota.internal.db;

import java.sql.SQLException;

/**
 * Thrown when a transaction was rolled back because its numbers were drawn in another history of
 * the server; see {@link ServerHistory}. A repetition draws new ones.
 */
public final class OtherHistoryException extends SQLException {

  private static final long serialVersionUID = 1L;
  private static final String SERIALIZATION_FAILURE = "40001";

  OtherHistoryException() {
    super(
        "the server was started anew, restored or replaced by a standby while this transaction had"
            + " numbers that were drawn before; nothing was written, try again",
        SERIALIZATION_FAILURE);
  }
}
