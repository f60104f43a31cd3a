package dev.rota.internal.db;

import java.sql.SQLException;

/**
 * Sees every call that Rota makes to the database, each by its name, and may refuse it. For tests
 * that number, delay, fail or kill calls; does nothing otherwise.
 */
public interface CallObserver {

  /** Sees nothing. */
  CallObserver NONE = new CallObserver() {};

  /** Before a call is sent. */
  default void before(String call) throws SQLException {}

  /** After the answer to a call arrived. */
  default void after(String call) throws SQLException {}
}
