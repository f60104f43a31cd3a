package dev.rota.internal;

import dev.rota.internal.db.Session;
import java.sql.SQLException;
import java.util.List;

/**
 * Stores tasks with keys. They have commits of their own: one that waits for somebody else's
 * transaction must not hold up tasks without keys. Thread-safe.
 */
final class KeyedStore implements GroupStore {

  private final KeyRegister keys;
  private final IdBlocks ids;

  KeyedStore(KeyRegister keys, IdBlocks ids) {
    this.keys = keys;
    this.ids = ids;
  }

  @Override
  public void prepare(List<List<PendingTask>> tenants) {
    tenants.forEach(tenant -> keys.prepare(tenant.get(0).tenant()));
  }

  @Override
  public void store(Session session, List<List<PendingTask>> tenants) throws SQLException {
    for (List<PendingTask> tenant : tenants) {
      long[] stored =
          keys.store(
              session,
              tenant.get(0).tenant(),
              tenant.stream().map(PendingTask::task).toList(),
              ids.take(tenant.size(), session));
      for (int i = 0; i < stored.length; i++) {
        tenant.get(i).id(stored[i]);
      }
    }
  }

  @Override
  public boolean singlesOut() {
    return true;
  }
}
