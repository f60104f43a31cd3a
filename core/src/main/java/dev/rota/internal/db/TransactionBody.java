package dev.rota.internal.db;

import java.sql.SQLException;

/** The work of one transaction. It may be repeated, so it keeps no state outside. */
@FunctionalInterface
public interface TransactionBody<T> {
  T run(Session session) throws SQLException;

  /** A body without a result. */
  @FunctionalInterface
  interface Action {
    void run(Session session) throws SQLException;
  }
}
