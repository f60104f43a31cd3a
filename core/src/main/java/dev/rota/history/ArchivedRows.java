package dev.rota.history;

import java.sql.Connection;

/** An archived segment that is open for reading. Used by one thread, and closed by it. */
public interface ArchivedRows extends AutoCloseable {

  /** The name of the table on {@link #connection()}. */
  String TABLE = "task_hist";

  /**
   * A connection to a DuckDB database with the rows of the segment as table {@value #TABLE}. Its
   * columns have the names and types of the view {@code task_hist_N} of its tenant.
   *
   * @return the same connection at each call
   */
  Connection connection();

  /** Closes the connection and releases the file. Idempotent. */
  @Override
  void close();
}
