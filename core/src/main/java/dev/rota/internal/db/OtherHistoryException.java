package dev.rota.internal.db;

import java.sql.SQLException;

/**
 * A transaction was taken back, since it had numbers that were drawn in another history of the
 * server; see {@link ServerHistory}. Done again it draws others.
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
