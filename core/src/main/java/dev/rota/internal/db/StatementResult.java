package dev.rota.internal.db;

import java.sql.ResultSet;
import java.sql.SQLException;

/** The result of one statement of a flush: rows, or a count of changed rows. */
interface StatementResult {

  /** Returns the rows; the caller closes them. */
  ResultSet rows() throws SQLException;

  /** Returns the number of changed rows; negative if the statement returned rows. */
  int updateCount() throws SQLException;
}
