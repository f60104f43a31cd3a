package dev.rota.internal.enqueue;

import dev.rota.NewTask;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Session;
import dev.rota.internal.tenant.TenantRef;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;

/** Stores tasks of one tenant: in bulk, or inside the caller's transaction. Thread-safe. */
public final class Enqueuer {

  private final Database database;
  private final IdAllocator ids;
  private final Doorbell doorbell;
  private final GroupCommit.Admission admission;
  private final KeyedAdmission keyed;

  public Enqueuer(
      Database database,
      IdAllocator ids,
      Doorbell doorbell,
      GroupCommit.Admission admission,
      KeyedAdmission keyed) {
    this.database = database;
    this.ids = ids;
    this.doorbell = doorbell;
    this.admission = admission;
    this.keyed = keyed;
  }

  /** Enqueues all tasks or none, in a transaction of Rota's own. */
  public List<Long> enqueueAll(TenantRef tenant, List<NewTask> given) {
    List<NewTask> tasks = admission.check(tenant, given);
    if (tasks.isEmpty()) {
      return List.of();
    }
    admission.tables().ensure(tenant);
    tenant.refuseClosed();
    admission.prepare(tenant, tasks);
    String purpose = TaskInserts.purpose(tenant);
    long[] taken = tenant.charged(tasks, () -> insertOrRepeat(purpose, tenant, tasks));
    if (TaskInserts.arePending(tasks)) {
      doorbell.ring(tenant.number());
    }
    return boxed(taken);
  }

  /**
   * Enqueues tasks in the caller's transaction. One INSERT stores {@value TaskInserts#CHUNK} tasks,
   * or {@value TaskInserts#CHUNK_CHARACTERS} characters of payloads. Each priority and delayed
   * tasks have separate ones.
   */
  public List<Long> enqueueAll(Connection connection, TenantRef tenant, List<NewTask> given) {
    List<NewTask> tasks = admission.check(tenant, given);
    if (tasks.isEmpty()) {
      return List.of();
    }
    return database.inCallersTransaction(
        connection,
        TaskInserts.purpose(tenant),
        session -> {
          admission.tables().ensure(session, tenant);
          tenant.refuseClosed();
          admission.prepare(tenant, tasks);
          return boxed(tenant.charged(tasks, () -> insert(session, tenant, tasks)));
        });
  }

  private long[] insertOrRepeat(String purpose, TenantRef tenant, List<NewTask> tasks) {
    try {
      return insert(purpose, tenant, tasks);
    } catch (SQLException e) {
      return admission
          .tables()
          .again(purpose, List.of(tenant), e, () -> insert(purpose, tenant, tasks));
    }
  }

  private long[] insert(String purpose, TenantRef tenant, List<NewTask> tasks) throws SQLException {
    if (tasks.stream().anyMatch(TaskInserts::hasKey)) {
      keyed.prepareKeys(tenant);
    }
    return database.tryTransaction(purpose, session -> insert(session, tenant, tasks));
  }

  /** Stores tasks under new ids, or finds the ids of the tasks that have their keys. */
  private long[] insert(Session session, TenantRef tenant, List<NewTask> tasks)
      throws SQLException {
    long[] taken = ids.take(tasks.size(), session);
    tenant.admit(session, tasks.size());
    int[] keyedOnes =
        IntStream.range(0, taken.length).filter(i -> TaskInserts.hasKey(tasks.get(i))).toArray();
    if (keyedOnes.length == 0) {
      insertPlain(session, tenant, tasks, taken, true);
    } else {
      insertMixed(session, tenant, tasks, taken, keyedOnes);
    }
    return taken;
  }

  /**
   * Stores tasks without keys.
   *
   * @param last whether the transaction ends with them
   */
  private static void insertPlain(
      Session session, TenantRef tenant, List<NewTask> tasks, long[] taken, boolean last)
      throws SQLException {
    int from = 0;
    for (List<NewTask> chunk : TaskInserts.chunks(tasks, Function.identity())) {
      int to = from + chunk.size();
      List<BoundStatement<Integer>> insertions =
          TaskInserts.of(tenant, chunk, Arrays.copyOfRange(taken, from, to));
      if (last && to == tasks.size()) {
        session.runLast(insertions);
      } else {
        session.runAll(insertions);
      }
      from = to;
    }
  }

  /**
   * Stores tasks without keys, then all with keys: they take their keys in the order of the keys,
   * or two producers could wait for each other.
   */
  private void insertMixed(
      Session session, TenantRef tenant, List<NewTask> tasks, long[] taken, int[] keyedOnes)
      throws SQLException {
    int[] plain =
        IntStream.range(0, taken.length).filter(i -> !TaskInserts.hasKey(tasks.get(i))).toArray();
    insertPlain(session, tenant, at(plain, tasks), at(plain, taken), false);
    long[] stored = keyed.admitKeyed(session, tenant, at(keyedOnes, tasks), at(keyedOnes, taken));
    for (int i = 0; i < keyedOnes.length; i++) {
      taken[keyedOnes[i]] = stored[i];
    }
  }

  private static List<NewTask> at(int[] places, List<NewTask> tasks) {
    return Arrays.stream(places).mapToObj(tasks::get).toList();
  }

  private static long[] at(int[] places, long[] taken) {
    return Arrays.stream(places).mapToLong(place -> taken[place]).toArray();
  }

  private static List<Long> boxed(long[] ids) {
    return Arrays.stream(ids).boxed().toList();
  }
}
