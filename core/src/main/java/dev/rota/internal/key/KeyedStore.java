package dev.rota.internal.key;

import dev.rota.internal.db.Session;
import dev.rota.internal.enqueue.GroupStore;
import dev.rota.internal.enqueue.IdAllocator;
import dev.rota.internal.enqueue.PendingEnqueue;
import java.sql.SQLException;
import java.util.List;

/**
 * Stores tasks with keys. They have commits of their own: one that waits for somebody else's
 * transaction must not hold up tasks without keys. Thread-safe.
 */
public final class KeyedStore implements GroupStore {

  private final KeyRegister keys;
  private final IdAllocator ids;

  public KeyedStore(KeyRegister keys, IdAllocator ids) {
    this.keys = keys;
    this.ids = ids;
  }

  @Override
  public void prepare(List<List<PendingEnqueue>> tenants) {
    tenants.forEach(tenant -> keys.prepare(tenant.get(0).tenant()));
  }

  @Override
  public void store(Session session, List<List<PendingEnqueue>> tenants) throws SQLException {
    for (List<PendingEnqueue> tenant : tenants) {
      long[] stored =
          keys.store(
              session,
              tenant.get(0).tenant(),
              tenant.stream().map(PendingEnqueue::task).toList(),
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
