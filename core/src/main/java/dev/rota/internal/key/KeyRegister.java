package dev.rota.internal.key;

import dev.rota.NewTask;
import dev.rota.internal.db.Session;
import dev.rota.internal.tenant.LazyTables;
import dev.rota.internal.tenant.TenantRef;
import java.sql.SQLException;
import java.util.List;

/**
 * Adds tasks with keys: each key is taken, found taken, or brought a newer version, and only those
 * tasks are stored that have to run. Thread-safe.
 */
public final class KeyRegister {

  private final LazyTables tables;

  public KeyRegister(LazyTables tables) {
    this.tables = tables;
  }

  /** Makes the tenant's table of keys if it has none; not inside a transaction. */
  public void prepare(TenantRef tenant) {
    tables.ensure(tenant);
  }

  /**
   * Stores tasks, all of which have keys.
   *
   * @param ids an id for each, should it be new
   * @return the id of each, which is that of another task if that one has the key
   */
  public long[] store(Session session, TenantRef tenant, List<NewTask> tasks, long[] ids)
      throws SQLException {
    if (!tables.exist(session, tenant)) {
      tables.ensure(tenant);
    }
    KeyIntake intake = new KeyIntake(session, tenant, tasks, ids);
    intake.settleKeys();
    intake.insertTasks();
    return intake.ids();
  }
}
