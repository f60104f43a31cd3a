package dev.rota.internal.key;

import dev.rota.NewTask;
import dev.rota.internal.db.Session;
import dev.rota.internal.enqueue.Doorbell;
import dev.rota.internal.settle.ClaimedTask;
import dev.rota.internal.settle.TaskExtension;
import dev.rota.internal.settle.TaskExtension.EndedTask;
import dev.rota.internal.settle.TaskFlags;
import dev.rota.internal.tenant.LazyTables;
import dev.rota.internal.tenant.TenantRef;
import java.sql.SQLException;
import java.util.List;

/**
 * Extends tasks with keys. At their enqueue each key is taken, found taken, or gets a newer
 * version, and only tasks that have to run are stored. At their claim versions are looked up; at
 * their end keys are freed. Thread-safe.
 */
public final class KeyExtension implements TaskExtension {

  private final LazyTables tables;
  private final KeyEnds ends;

  public KeyExtension(LazyTables tables, Doorbell doorbell) {
    this.tables = tables;
    this.ends = new KeyEnds(doorbell);
  }

  @Override
  public int traits() {
    return TaskFlags.KEY_KEPT | TaskFlags.VERSIONED;
  }

  @Override
  public boolean takesKeys() {
    return true;
  }

  @Override
  public boolean hasTables(Session session, TenantRef tenant) throws SQLException {
    return tables.exist(session, tenant);
  }

  @Override
  public void prepare(TenantRef tenant) {
    tables.ensure(tenant);
  }

  @Override
  public long[] admit(Session session, TenantRef tenant, List<NewTask> tasks, long[] ids)
      throws SQLException {
    if (!tables.exist(session, tenant)) {
      tables.ensure(tenant);
    }
    KeyResolution intake = new KeyResolution(session, tenant, tasks, ids);
    intake.settleKeys();
    intake.insertTasks();
    return intake.ids();
  }

  @Override
  public List<ClaimedTask> claimed(
      Session session, TenantRef tenant, int segment, List<ClaimedTask> tasks) throws SQLException {
    return VersionLookup.lookUp(session, tenant, segment, tasks);
  }

  @Override
  public void ended(Session session, TenantRef tenant, List<EndedTask> ended) throws SQLException {
    ends.apply(session, tenant, ended);
  }
}
