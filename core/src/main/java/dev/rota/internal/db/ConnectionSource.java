package dev.rota.internal.db;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Where transactions get their connections, and what becomes of these afterwards. */
interface ConnectionSource {

  Connection take() throws SQLException;

  /**
   * Takes a connection back.
   *
   * @param intact whether its transaction was committed
   */
  void giveBack(Connection connection, boolean intact) throws SQLException;

  /** One for each transaction. */
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
