package dev.rota.internal.enqueue;

import dev.rota.internal.db.Session;
import dev.rota.internal.enqueue.GroupCommit.PendingEnqueue;
import dev.rota.internal.tenant.TenantRef;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Stores tasks with keys. They have separate commits: a task that waits for another transaction
 * must not delay tasks without keys. Thread-safe.
 */
public final class KeyedStore implements GroupCommit.Store {

  private final KeyedAdmission admission;
  private final IdAllocator ids;

  public KeyedStore(KeyedAdmission admission, IdAllocator ids) {
    this.admission = admission;
    this.ids = ids;
  }

  @Override
  public void prepare(List<List<PendingEnqueue>> tenants) {
    tenants.forEach(tenant -> admission.prepareKeys(tenant.get(0).tenant));
  }

  @Override
  public void store(Session session, List<List<PendingEnqueue>> tenants) throws SQLException {
    for (List<PendingEnqueue> tenant : tenants) {
      long[] taken = ids.take(tenant.size(), session);
      TenantRef ref = tenant.get(0).tenant;
      ref.confirm(session);
      long[] stored =
          admission.admitKeyed(
              session, ref, tenant.stream().map(pending -> pending.task).toList(), taken);
      for (int i = 0; i < stored.length; i++) {
        tenant.get(i).id = stored[i];
      }
    }
  }

  @Override
  public boolean meetsLocks() {
    return true;
  }

  /** Tasks with one key wait for the same row, and are stored as one: they stay together. */
  @Override
  public List<List<PendingEnqueue>> parts(List<PendingEnqueue> tenant, boolean locked) {
    Map<String, List<PendingEnqueue>> byKey = new LinkedHashMap<>();
    for (PendingEnqueue pending : tenant) {
      String key = pending.task.key().orElseThrow().text();
      byKey.computeIfAbsent(key, unused -> new ArrayList<>()).add(pending);
    }
    if (byKey.size() > 1) {
      return List.copyOf(byKey.values());
    }
    return locked || tenant.size() == 1 ? List.of() : tenant.stream().map(List::of).toList();
  }
}
