package dev.rota.internal.db;

import java.sql.SQLException;

/** Thrown when a statement stored another number of rows than it was given. */
final class RowCountException extends SQLException {

  private static final long serialVersionUID = 1L;

  RowCountException(String call, String into, int stored, int given) {
    super(
        "\"%s\" of %s stored %d of %d rows; ".formatted(call, into, stored, given)
            + "roll your transaction back if it is yours. A pooler may have run another statement"
            + " under the same name: put prepareThreshold=0 into the JDBC URL; or a trigger or a"
            + " rule keeps rows away: remove it",
        "22000");
  }
}
