package dev.rota.internal.enqueue;

import dev.rota.NewTask;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.TenantRef;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Stores tasks without keys, those of many tenants in one flush. Thread-safe. */
public final class PlainStore implements GroupCommit.Store {

  private static final Sql REPORT_COUNTERS = Sql.named("report_counters");

  private static final int TENANTS_PER_FLUSH = 32;

  private final IdAllocator ids;

  public PlainStore(IdAllocator ids) {
    this.ids = ids;
  }

  @Override
  public void store(Session session, List<List<PendingEnqueue>> tenants) throws SQLException {
    List<BoundStatement<Integer>> insertions = new ArrayList<>();
    for (List<PendingEnqueue> tenant : tenants) {
      insertions.addAll(insertions(session, tenant));
    }
    session.prepend(BoundStatement.query(REPORT_COUNTERS, row -> true));
    int last = insertions.size() - 1;
    int from = 0;
    for (; from + TENANTS_PER_FLUSH <= last; from += TENANTS_PER_FLUSH) {
      session.runAll(insertions.subList(from, from + TENANTS_PER_FLUSH));
    }
    session.runLast(insertions.subList(from, insertions.size()));
  }

  private List<BoundStatement<Integer>> insertions(Session session, List<PendingEnqueue> tenant)
      throws SQLException {
    long[] taken = ids.take(tenant.size(), session);
    TenantRef ref = tenant.get(0).tenant();
    ref.confirm(session);
    List<NewTask> tasks = new ArrayList<>(tenant.size());
    for (int i = 0; i < taken.length; i++) {
      tenant.get(i).id(taken[i]);
      tasks.add(tenant.get(i).task());
    }
    return taken.length == 1 && TaskInserts.isSimple(tasks.get(0))
        ? List.of(TaskInserts.ofOne(ref, tasks.get(0), taken[0]))
        : TaskInserts.of(ref, tasks, taken);
  }
}
