package dev.rota.internal.enqueue;

import dev.rota.NewTask;
import dev.rota.internal.db.Session;
import dev.rota.internal.tenant.TenantRef;
import java.sql.SQLException;
import java.util.List;

/** Stores tasks that have keys, in the transaction of the caller. Thread-safe. */
public interface KeyedAdmission {

  /** Creates the tables that tasks with keys need, outside the transaction that stores them. */
  void prepareKeys(TenantRef tenant);

  /**
   * Stores tasks, all of which have keys.
   *
   * @param ids an id for each, used if it is new
   * @return the id of each, which may be that of an earlier task
   */
  long[] admitKeyed(Session session, TenantRef tenant, List<NewTask> tasks, long[] ids)
      throws SQLException;
}
