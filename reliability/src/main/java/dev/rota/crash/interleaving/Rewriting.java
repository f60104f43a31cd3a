package dev.rota.crash.interleaving;

import java.sql.SQLException;

/** Changes Rota's statements on their way to the database, which creates wrong variants of it. */
public interface Rewriting {

  /** Changes nothing. */
  Rewriting NONE = new Rewriting() {};

  /**
   * Returns the text to send instead.
   *
   * @param process the number of the sending process in scenarios
   */
  default String text(int process, String text) {
    return text;
  }

  /**
   * Called after a changed text was run.
   *
   * @throws SQLException the error that the process gets instead
   */
  default void answered(int process) throws SQLException {}

  /** Ends a transaction. */
  default void commit(int process, Ending commit) throws SQLException {
    commit.run();
  }

  /** The number of changes. */
  default int applied() {
    return 0;
  }

  /** Ends a transaction on the driver's connection. */
  interface Ending {
    void run() throws SQLException;

    void rollBack() throws SQLException;
  }
}
