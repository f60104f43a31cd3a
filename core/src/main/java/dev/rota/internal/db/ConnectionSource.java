package dev.rota.internal.db;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Provides connections for transactions, and takes them back. */
interface ConnectionSource {

  Connection take() throws SQLException;

  /**
   * Takes a connection back.
   *
   * @param intact whether its transaction was committed
   */
  void giveBack(Connection connection, boolean intact) throws SQLException;

  /** A source that borrows a connection for each transaction. */
  static ConnectionSource of(DataSource pool) {
    return new ConnectionSource() {
      @Override
      public Connection take() throws SQLException {
        return pool.getConnection();
      }

      @Override
      public void giveBack(Connection connection, boolean intact) throws SQLException {
        connection.close();
      }
    };
  }
}
