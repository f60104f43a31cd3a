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
import java.util.stream.IntStream;

/** Stores tasks of one tenant: in bulk, or inside the caller's transaction. Thread-safe. */
public final class Enqueuer {

  /**
   * The number of tasks in one statement. Larger statements gain nothing and need more memory on
   * both sides.
   */
  private static final int CHUNK = 5_000;

  private static final int CHUNK_CHARACTERS = 8 << 20;

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
   * Enqueues tasks in the caller's transaction. One INSERT stores {@value #CHUNK} tasks, or {@value
   * #CHUNK_CHARACTERS} characters of payloads. Each priority and delayed tasks have separate ones.
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
    int to;
    for (int from = 0; from < tasks.size(); from = to) {
      to = endOfChunk(tasks, from);
      List<NewTask> chunk = tasks.subList(from, to);
      if (chunk.stream().anyMatch(TaskInserts::hasKey)) {
        insertMixed(session, tenant, chunk, from, taken);
      } else {
        List<BoundStatement<Integer>> insertions =
            TaskInserts.of(tenant, chunk, Arrays.copyOfRange(taken, from, to));
        if (to == tasks.size()) {
          session.runLast(insertions);
        } else {
          session.runAll(insertions);
        }
      }
    }
    return taken;
  }

  /** The end of a chunk. The driver holds several copies of the data that it sends. */
  private static int endOfChunk(List<NewTask> tasks, int from) {
    long characters = 0;
    int to = from;
    while (to < tasks.size() && to - from < CHUNK && characters < CHUNK_CHARACTERS) {
      characters += tasks.get(to++).payload().length();
    }
    return to;
  }

  private void insertMixed(
      Session session, TenantRef tenant, List<NewTask> chunk, int from, long[] taken)
      throws SQLException {
    int[] withKey =
        IntStream.range(0, chunk.size()).filter(i -> TaskInserts.hasKey(chunk.get(i))).toArray();
    int[] plain =
        IntStream.range(0, chunk.size()).filter(i -> !TaskInserts.hasKey(chunk.get(i))).toArray();
    if (plain.length > 0) {
      session.runAll(TaskInserts.of(tenant, at(plain, chunk), at(plain, from, taken)));
    }
    long[] stored = keyed.admitKeyed(session, tenant, at(withKey, chunk), at(withKey, from, taken));
    for (int i = 0; i < withKey.length; i++) {
      taken[from + withKey[i]] = stored[i];
    }
  }

  private static List<NewTask> at(int[] places, List<NewTask> tasks) {
    return Arrays.stream(places).mapToObj(tasks::get).toList();
  }

  private static long[] at(int[] places, int from, long[] taken) {
    return Arrays.stream(places).mapToLong(place -> taken[from + place]).toArray();
  }

  private static List<Long> boxed(long[] ids) {
    return Arrays.stream(ids).boxed().toList();
  }
}
