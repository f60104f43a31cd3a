package dev.rota.internal.db;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * Sees every call that Rota makes to the database, each by its name, and may refuse it. For tests
 * that number, delay, fail or kill calls; does nothing otherwise.
 *
 * <p>Several calls may share a round trip: each is announced by {@link #before}, then {@link
 * #sending} tells that they leave together, {@link #answered} that the server has answered, and
 * {@link #after} follows for each.
 */
public interface StatementObserver {

  /** Sees nothing. */
  StatementObserver NONE = new StatementObserver() {};

  /** Before a call is sent. */
  default void before(String call) throws SQLException {}

  /** Before the calls that were announced leave on this connection, in one round trip. */
  default void sending(Connection connection) throws SQLException {}

  /** After the server has answered that round trip, and before anybody reads the answer. */
  default void answered(Connection connection) throws SQLException {}

  /** After the answer to a call arrived. */
  default void after(String call) throws SQLException {}
}
