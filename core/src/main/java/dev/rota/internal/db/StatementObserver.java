package dev.rota.internal.db;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * Observes every call that Rota makes to the database, each by its name, and may refuse it. For
 * tests that number, delay, fail or kill calls; does nothing otherwise.
 *
 * <p>Several calls may share a round trip. {@link #before} announces each, and {@link #sending}
 * reports that they leave together. {@link #answered} reports that the server has answered, and
 * {@link #after} follows for each.
 */
public interface StatementObserver {

  /** An observer that does nothing. */
  StatementObserver NONE = new StatementObserver() {};

  /** Called before a call is sent. */
  default void before(String call) throws SQLException {}

  /** Called before the announced calls leave on this connection, in one round trip. */
  default void sending(Connection connection) throws SQLException {}

  /** Called after the server has answered that round trip, and before the answer is read. */
  default void answered(Connection connection) throws SQLException {}

  /** Called after the answer to a call arrived. */
  default void after(String call) throws SQLException {}
}
