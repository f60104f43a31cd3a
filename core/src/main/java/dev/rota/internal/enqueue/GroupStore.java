package dev.rota.internal.enqueue;

import dev.rota.internal.db.Session;
import java.sql.SQLException;
import java.util.List;

/** How the tasks of a group commit are stored. */
public interface GroupStore {

  /** What must be done before the transaction. */
  default void prepare(List<List<PendingEnqueue>> tenants) {}

  /** Stores tasks, each list of one tenant, and notes their ids. */
  void store(Session session, List<List<PendingEnqueue>> tenants) throws SQLException;

  /** Whether one task can be at fault, so that the others of its tenant are worth another try. */
  default boolean singlesOut() {
    return false;
  }
}
