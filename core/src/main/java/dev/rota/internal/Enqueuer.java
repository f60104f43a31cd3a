package dev.rota.internal;

import dev.rota.NewTask;
import dev.rota.TenantClosedException;
import dev.rota.internal.db.Call;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Errors;
import dev.rota.internal.db.Session;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;

/** Stores tasks of one tenant: in bulk, or inside the caller's transaction. Thread-safe. */
final class Enqueuer {

  /** Larger statements gain nothing and need more memory on both sides. */
  private static final int CHUNK = 5_000;

  private final Database database;
  private final IdBlocks ids;
  private final TaskRules rules;
  private final Doorbell doorbell;

  Enqueuer(Database database, IdBlocks ids, TaskRules rules, Doorbell doorbell) {
    this.database = database;
    this.ids = ids;
    this.rules = rules;
    this.doorbell = doorbell;
  }

  /** All or none, in one transaction of Rota's own. */
  List<Long> enqueueAll(TenantHandle tenant, List<NewTask> tasks) {
    admit(tenant, tasks);
    if (tasks.isEmpty()) {
      return List.of();
    }
    long[] taken = ids.take(tasks.size());
    database.transaction(purpose(tenant), session -> insert(session, tenant, tasks, taken));
    if (Insertions.arePending(tasks)) {
      doorbell.ring(tenant.number());
    }
    return boxed(taken);
  }

  /** In the caller's transaction: one INSERT for each {@value #CHUNK} tasks, delayed ones apart. */
  List<Long> enqueueAll(Connection connection, TenantHandle tenant, List<NewTask> tasks) {
    admit(tenant, tasks);
    if (tasks.isEmpty()) {
      return List.of();
    }
    Session session = Session.inCallersTransaction(connection, database.observer());
    try {
      long[] taken = ids.take(tasks.size(), session);
      insert(session, tenant, tasks, taken);
      return boxed(taken);
    } catch (SQLException e) {
      throw Errors.translate(purpose(tenant), e);
    }
  }

  private void admit(TenantHandle tenant, List<NewTask> tasks) {
    refuseClosed(tenant);
    rules.checkAll(tasks);
  }

  static void refuseClosed(TenantHandle tenant) {
    if (tenant.state().closed()) {
      throw new TenantClosedException(
          tenant.label() + " is closed and refuses new tasks; reopen it with Tenants.reopen(name)");
    }
  }

  static String purpose(TenantHandle tenant) {
    return "enqueue for " + tenant.label();
  }

  private static int insert(Session session, TenantHandle tenant, List<NewTask> tasks, long[] taken)
      throws SQLException {
    int inserted = 0;
    for (int from = 0; from < tasks.size(); from += CHUNK) {
      int to = Math.min(from + CHUNK, tasks.size());
      for (Call<Integer> insertion :
          Insertions.of(tenant, tasks.subList(from, to), Arrays.copyOfRange(taken, from, to))) {
        inserted += session.run(insertion);
      }
    }
    return inserted;
  }

  private static List<Long> boxed(long[] ids) {
    return Arrays.stream(ids).boxed().toList();
  }
}
