package dev.rota.crash.interleaving;

import java.sql.SQLException;

/** Changes what Rota does on its way to the database: how wrong variants of it are made. */
public interface Rewriting {

  /** Changes nothing. */
  Rewriting NONE = new Rewriting() {};

  /**
   * What is sent instead of a text.
   *
   * @param process who sends it, as scenarios number them
   */
  default String text(int process, String text) {
    return text;
  }

  /**
   * After a text that was changed was run.
   *
   * @throws SQLException what the process is told instead
   */
  default void answered(int process) throws SQLException {}

  /** Ends a transaction. */
  default void commit(int process, Ending commit) throws SQLException {
    commit.run();
  }

  /** How often something was changed. */
  default int applied() {
    return 0;
  }

  /** How a transaction ends on the driver's connection. */
  interface Ending {
    void run() throws SQLException;

    void rollBack() throws SQLException;
  }
}
