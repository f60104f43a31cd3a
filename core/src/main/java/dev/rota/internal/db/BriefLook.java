package dev.rota.internal.db;

import dev.rota.DatabaseException;
import java.sql.SQLException;
import java.util.Optional;

/** A look with little patience, which holds up no other session, and may come to nothing. */
public final class BriefLook {

  private BriefLook() {}

  /**
   * Reads in a transaction.
   *
   * @param database with short time limits
   * @return what was read; empty if a statement took long, met a lock or found no table, or if the
   *     process stalled within the transaction
   * @throws dev.rota.RotaException if anything else fails
   */
  public static <T> Optional<T> at(Database database, String purpose, TransactionBody<T> body) {
    try {
      return Optional.of(database.tryTransaction(purpose, body));
    } catch (SQLException e) {
      if (SqlErrors.isCutShort(e)) {
        return Optional.empty();
      }
      throw SqlErrors.translate(purpose, e);
    } catch (DatabaseException e) {
      if (SqlErrors.isCutShort(e)) {
        return Optional.empty();
      }
      throw e;
    }
  }
}
