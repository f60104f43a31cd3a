package dev.rota.internal;

import dev.rota.NewTask;
import dev.rota.TenantClosedException;
import dev.rota.internal.db.Call;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Errors;
import dev.rota.internal.db.RingSql;
import dev.rota.internal.db.Session;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

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
    doorbell.ring(tenant.number());
    return boxed(taken);
  }

  /** In the caller's transaction: one INSERT for each {@value #CHUNK} tasks. */
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
      inserted +=
          session.run(
              insertion(tenant, tasks.subList(from, to), Arrays.copyOfRange(taken, from, to)));
    }
    return inserted;
  }

  /** Of one task in a transaction that reports its counters by itself. */
  static Call<Integer> insertion(TenantHandle tenant, NewTask task, long id) {
    OptionalLong parent = task.parentId();
    return Call.update(
        RingSql.ENQUEUE_ONE.call(),
        tenant.enqueueOneSql(tenant.state().currentSlot()),
        id,
        parent.isPresent() ? parent.getAsLong() : null,
        task.kind(),
        task.payload());
  }

  /** Of any number of tasks. */
  static Call<Integer> insertion(TenantHandle tenant, List<NewTask> tasks, long[] ids) {
    int count = tasks.size();
    @Nullable Long[] parents = new Long[count];
    String[] kinds = new String[count];
    String[] payloads = new String[count];
    for (int i = 0; i < count; i++) {
      NewTask task = tasks.get(i);
      if (task.parentId().isPresent()) {
        parents[i] = task.parentId().getAsLong();
      }
      kinds[i] = task.kind();
      payloads[i] = task.payload();
    }
    return Call.update(
        RingSql.ENQUEUE.call(),
        tenant.enqueueSql(tenant.state().currentSlot()),
        ids,
        parents,
        kinds,
        payloads);
  }

  private static List<Long> boxed(long[] ids) {
    return Arrays.stream(ids).boxed().toList();
  }
}
