package dev.rota.internal;

import dev.rota.internal.db.Session;
import java.sql.SQLException;
import java.util.List;

/** How the tasks of a group commit are stored. */
interface GroupStore {

  /** What must be done before the transaction. */
  default void prepare(List<List<PendingTask>> tenants) {}

  /** Stores tasks, each list of one tenant, and notes their ids. */
  void store(Session session, List<List<PendingTask>> tenants) throws SQLException;

  /** Whether one task can be at fault, so that the others of its tenant are worth another try. */
  default boolean singlesOut() {
    return false;
  }
}
