package dev.rota.internal;

import dev.rota.NewTask;
import dev.rota.internal.db.Call;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.Sql;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Stores tasks without keys, those of many tenants in one flush. Thread-safe. */
final class PlainStore implements GroupStore {

  private static final Sql REPORT_COUNTERS = Sql.named("report_counters");

  private static final int TENANTS_PER_FLUSH = 32;

  private final IdBlocks ids;

  PlainStore(IdBlocks ids) {
    this.ids = ids;
  }

  @Override
  public void store(Session session, List<List<PendingTask>> tenants) throws SQLException {
    List<Call<Integer>> insertions = new ArrayList<>();
    for (List<PendingTask> tenant : tenants) {
      insertions.addAll(insertions(session, tenant));
    }
    session.runAhead(
        Call.repeated(REPORT_COUNTERS.call(), REPORT_COUNTERS.repeated(), row -> true));
    for (int from = 0; from < insertions.size(); from += TENANTS_PER_FLUSH) {
      int to = Math.min(from + TENANTS_PER_FLUSH, insertions.size());
      session.runTogether(insertions.subList(from, to));
    }
  }

  private List<Call<Integer>> insertions(Session session, List<PendingTask> tenant)
      throws SQLException {
    long[] taken = ids.take(tenant.size(), session);
    List<NewTask> tasks = new ArrayList<>(tenant.size());
    for (int i = 0; i < taken.length; i++) {
      tenant.get(i).id(taken[i]);
      tasks.add(tenant.get(i).task());
    }
    TenantHandle handle = tenant.get(0).tenant();
    return taken.length == 1 && !Insertions.isDelayed(tasks.get(0))
        ? List.of(Insertions.ofOne(handle, tasks.get(0), taken[0]))
        : Insertions.of(handle, tasks, taken);
  }
}
