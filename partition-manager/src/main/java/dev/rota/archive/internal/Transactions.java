package dev.rota.archive.internal;

import dev.rota.internal.db.TransactionBody;
import java.sql.SQLException;

/** Runs the parts of a lengthy read: each in a separate transaction, or all in one. */
@FunctionalInterface
public interface Transactions {

  /** Runs one part. */
  <T> T run(String purpose, TransactionBody<T> body) throws SQLException;
}
