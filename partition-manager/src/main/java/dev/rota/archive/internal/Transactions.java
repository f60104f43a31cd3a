package dev.rota.archive.internal;

import dev.rota.internal.db.TransactionBody;
import java.sql.SQLException;

/** How the parts of a lengthy reading are run: each in a transaction of its own, or all in one. */
@FunctionalInterface
public interface Transactions {

  /** Runs one part. */
  <T> T run(String purpose, TransactionBody<T> body) throws SQLException;
}
