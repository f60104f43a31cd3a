package dev.rota.internal.enqueue;

import dev.rota.DatabaseException;
import dev.rota.NewTask;
import dev.rota.RotaClosedException;
import dev.rota.RotaException;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.DaemonThreads;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Session;
import dev.rota.internal.log.Logs;
import dev.rota.internal.tenant.LaneCreator;
import dev.rota.internal.tenant.SlotWidener;
import dev.rota.internal.tenant.TablesOnDemand;
import dev.rota.internal.tenant.TaskValidator;
import dev.rota.internal.tenant.TenantAllowances.Charge;
import dev.rota.internal.tenant.TenantAllowances.Room;
import dev.rota.internal.tenant.TenantRef;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Lets single enqueues of all threads and tenants share transactions: enqueues that arrive while
 * one transaction commits go into the next one. A future completes only after the commit.
 * Thread-safe.
 *
 * <p>Group commit is an old idea of databases (DeWitt et al., "Implementation Techniques for Main
 * Memory Database Systems", 1984). Here the client does it, which saves the round trips as well.
 */
public final class GroupCommit implements AutoCloseable {

  private static final Logger log = Logs.of(GroupCommit.class);

  private static final int WRITERS = 2;
  private static final int MOST_TASKS = 10_000;

  private final Admission admission;
  private final Database database;
  private final Store store;
  private final Doorbell doorbell;
  private final long memory;
  private final Enqueues enqueues = new Enqueues();

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition arrived = lock.newCondition();
  private final Condition roomMade = lock.newCondition();
  private List<PendingEnqueue> queue = new ArrayList<>();
  private final List<Thread> writers = new ArrayList<>();
  private long bytesHeld;
  private boolean closed;

  /** Checks tasks before they are stored, and makes the tables, lanes and width that they need. */
  public record Admission(
      TaskValidator rules,
      TablesOnDemand tables,
      LaneCreator laneCreator,
      SlotWidener widener,
      DaemonWatch daemonWatch) {

    /** Returns the task to store. */
    NewTask admit(TenantRef tenant, NewTask given) {
      tenant.refuseClosed();
      NewTask task = rules.check(given);
      if (!tenant.isReady()) {
        tables.anticipate(tenant);
        // What was known of a parked tenant may have been old.
        tenant.refuseClosed();
      }
      prepare(tenant, task);
      return task;
    }

    /** Returns the tasks to store. */
    List<NewTask> check(TenantRef tenant, List<NewTask> tasks) {
      tenant.refuseClosed();
      return rules.checkAll(tasks);
    }

    /** Creates what the tasks need beside the tables of the tenant. */
    void prepare(TenantRef tenant, List<NewTask> tasks) {
      tasks.forEach(task -> prepare(tenant, task));
    }

    /** A small task without delay and priority needs no more than every tenant has. */
    private void prepare(TenantRef tenant, NewTask task) {
      if (task.priority() != 0) {
        laneCreator.ensure(tenant, task.priority());
      }
      boolean waits = TaskInserts.isDelayed(task);
      if (!tenant.state().lanes().fit(task)) {
        if (!tenant.isReady()) {
          tables.ensure(tenant);
        }
        waits |= !widener.ensure(tenant, task);
      }
      if (waits) {
        daemonWatch.begin();
      }
    }
  }

  /** How the tasks of a group commit are stored. */
  public interface Store {

    /** What must be done before the transaction. */
    default void prepare(List<List<PendingEnqueue>> tenants) {}

    /** Stores tasks, each list of one tenant, and notes their ids. */
    void store(Session session, List<List<PendingEnqueue>> tenants) throws SQLException;

    /** Whether one task can be at fault, so that the others of its tenant are worth another try. */
    default boolean singlesOut() {
      return false;
    }
  }

  /** A task on its way into the database. Used by one thread at a time. */
  static final class PendingEnqueue {

    private static final int OVERHEAD_BYTES = 200;

    private final TenantRef tenant;
    private final NewTask task;
    private final CompletableFuture<Long> future = new CompletableFuture<>();
    private final boolean elsewhere;

    /** The id under which it is being stored. */
    private long id;

    /** Why it is not stored with the others of its transaction. */
    private @Nullable RotaException refusal;

    /**
     * Creates the enqueue of one caller.
     *
     * @param elsewhere whether its future completes on the common pool
     */
    PendingEnqueue(TenantRef tenant, NewTask task, boolean elsewhere) {
      this.tenant = tenant;
      this.task = task;
      this.elsewhere = elsewhere;
    }

    /** Tells its caller how the transaction served it, after the commit. */
    void complete() {
      boolean unused =
          refusal == null ? future.complete(id) : future.completeExceptionally(refusal);
    }

    /** Sets what learns why it is not stored. */
    void whenFailed(Consumer<Throwable> action) {
      var unused =
          future.whenComplete(
              (stored, failure) -> {
                if (failure != null) {
                  action.accept(failure);
                }
              });
    }

    /** The memory that it takes, approximately. */
    long bytes() {
      return OVERHEAD_BYTES + 2L * task.payload().length();
    }
  }

  public GroupCommit(
      Admission admission, Database database, Store store, Doorbell doorbell, long memory) {
    this.admission = admission;
    this.database = database;
    this.store = store;
    this.doorbell = doorbell;
    this.memory = memory;
  }

  /**
   * Completes on the common pool, so that the stages that depend on it cannot hold up the writers.
   */
  public CompletableFuture<Long> enqueueAsync(TenantRef tenant, NewTask task) {
    return charge(new PendingEnqueue(tenant, admission.admit(tenant, task), true));
  }

  /**
   * Returns a future on which only {@code join} may be called: it completes on a writer's thread.
   */
  public CompletableFuture<Long> enqueueAndJoin(TenantRef tenant, NewTask task) {
    return charge(new PendingEnqueue(tenant, admission.admit(tenant, task), false));
  }

  /** Writes the accepted tasks, then stops. Idempotent. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      arrived.signalAll();
      roomMade.signalAll();
    } finally {
      lock.unlock();
    }
    writers.forEach(DaemonThreads::join);
  }

  private CompletableFuture<Long> charge(PendingEnqueue pending) {
    if (pending.tenant.isCharged()) {
      try {
        Charge charge = pending.tenant.charge(List.of(pending.task));
        pending.whenFailed(charge::failed);
      } catch (RotaException e) {
        return CompletableFuture.failedFuture(e);
      }
    }
    return add(pending);
  }

  private CompletableFuture<Long> add(PendingEnqueue pending) {
    lock.lock();
    try {
      while (!closed && bytesHeld > 0 && bytesHeld + pending.bytes() > memory) {
        roomMade.awaitUninterruptibly();
      }
      if (closed) {
        throw new RotaClosedException(
            "enqueue for " + pending.tenant.label() + ": Rota was closed");
      }
      bytesHeld += pending.bytes();
      queue.add(pending);
      startWriters();
      arrived.signal();
      return pending.future;
    } finally {
      lock.unlock();
    }
  }

  private void startWriters() {
    while (writers.size() < WRITERS) {
      Thread writer = new Thread(this::write, "rota-group-commit-" + (writers.size() + 1));
      writer.setDaemon(true);
      writers.add(writer);
      writer.start();
    }
  }

  private void write() {
    for (List<PendingEnqueue> group = next(); !group.isEmpty(); group = next()) {
      commitOrFail(group);
      release(group);
    }
  }

  /** Callers must learn of an Error as well, and the writer must live on. */
  private void commitOrFail(List<PendingEnqueue> group) {
    try {
      commit(group);
    } catch (RuntimeException | Error e) {
      fail(group, new RotaException("enqueue failed: " + e, e));
    }
  }

  /** Waits for tasks; an empty group means that no more will come. */
  private List<PendingEnqueue> next() {
    lock.lock();
    try {
      while (queue.isEmpty() && !closed) {
        arrived.awaitUninterruptibly();
      }
      List<PendingEnqueue> group = queue;
      if (group.size() <= MOST_TASKS) {
        queue = new ArrayList<>();
        return group;
      }
      queue = new ArrayList<>(group.subList(MOST_TASKS, group.size()));
      arrived.signal();
      return new ArrayList<>(group.subList(0, MOST_TASKS));
    } finally {
      lock.unlock();
    }
  }

  private void release(List<PendingEnqueue> group) {
    lock.lock();
    try {
      for (PendingEnqueue pending : group) {
        bytesHeld -= pending.bytes();
      }
      roomMade.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void commit(List<PendingEnqueue> group) {
    Map<TenantRef, List<PendingEnqueue>> byTenant = new TreeMap<>(TenantRef.order());
    for (PendingEnqueue pending : group) {
      byTenant.computeIfAbsent(pending.tenant, unused -> new ArrayList<>()).add(pending);
    }
    enqueues.serve(List.copyOf(byTenant.values()));
  }

  /**
   * Stores the tasks of several tenants. After a refusal each tenant commits alone, and then each
   * task, if one of them can be at fault.
   */
  private final class Enqueues implements Database.SharedTransaction<List<PendingEnqueue>> {

    @Override
    public void commit(List<List<PendingEnqueue>> tenants) {
      String purpose =
          tenants.size() == 1
              ? TaskInserts.purpose(tenants.get(0).get(0).tenant)
              : "enqueue for " + tenants.size() + " tenants";
      try {
        boolean unused = prepareAndStore(purpose, tenants);
      } catch (SQLException e) {
        List<TenantRef> refs = tenants.stream().map(tenant -> tenant.get(0).tenant).toList();
        boolean unused =
            admission.tables.again(purpose, refs, e, () -> prepareAndStore(purpose, tenants));
      }
    }

    private boolean prepareAndStore(String purpose, List<List<PendingEnqueue>> tenants)
        throws SQLException {
      for (List<PendingEnqueue> tenant : tenants) {
        if (!tenant.get(0).tenant.isReady()) {
          admission.tables.ensure(tenant.get(0).tenant);
        }
      }
      store.prepare(tenants);
      return database.tryTransaction(
          purpose,
          session -> {
            List<List<PendingEnqueue>> admitted = admitted(session, tenants);
            if (!admitted.isEmpty()) {
              store.store(session, admitted);
            }
            return true;
          });
    }

    /** Those of the tasks for which their tenants have room; each of the others is refused. */
    private static List<List<PendingEnqueue>> admitted(
        Session session, List<List<PendingEnqueue>> tenants) throws SQLException {
      tenants.forEach(tenant -> tenant.forEach(pending -> pending.refusal = null));
      List<TenantRef> refs = tenants.stream().map(tenant -> tenant.get(0).tenant).toList();
      Map<Integer, Room> rooms = TenantRef.rooms(session, refs);
      if (rooms.isEmpty()) {
        return tenants;
      }
      List<List<PendingEnqueue>> admitted = new ArrayList<>();
      for (List<PendingEnqueue> tenant : tenants) {
        Room room = rooms.get(tenant.get(0).tenant.number());
        long left = room == null ? tenant.size() : Math.max(0, room.left());
        int fitting = (int) Math.min(tenant.size(), left);
        for (PendingEnqueue pending : tenant.subList(fitting, tenant.size())) {
          pending.refusal = Objects.requireNonNull(room).refusal(1);
        }
        if (fitting > 0) {
          admitted.add(tenant.subList(0, fitting));
        }
      }
      return admitted;
    }

    @Override
    public List<List<List<PendingEnqueue>>> parts(List<List<PendingEnqueue>> tenants) {
      if (tenants.size() > 1) {
        return tenants.stream().map(List::of).toList();
      }
      List<PendingEnqueue> tenant = tenants.get(0);
      return store.singlesOut() && tenant.size() > 1
          ? tenant.stream().map(task -> List.of(List.of(task))).toList()
          : List.of();
    }

    @Override
    public void committed(List<List<PendingEnqueue>> tenants) {
      tenants.forEach(tenant -> settle(tenant, PendingEnqueue::complete));
      tenants.forEach(GroupCommit.this::ring);
    }

    @Override
    public void failed(List<List<PendingEnqueue>> tenants, Throwable failure) {
      Throwable told = failure instanceof Error e ? inDoubt(e) : failure;
      tenants.forEach(tenant -> fail(tenant, told));
    }
  }

  private static DatabaseException inDoubt(Error e) {
    String message = "enqueue: whether it was stored is not known, because of " + e;
    return new DatabaseException(message, e, false, true);
  }

  private void ring(List<PendingEnqueue> tenant) {
    try {
      ringIfDue(tenant);
    } catch (RuntimeException | Error e) {
      log.warn("the doorbell could not be rung; polling finds the work", e);
    }
  }

  private void ringIfDue(List<PendingEnqueue> tenant) {
    if (tenant.stream()
        .anyMatch(pending -> pending.refusal == null && !TaskInserts.isDelayed(pending.task))) {
      doorbell.ring(tenant.get(0).tenant.number());
    }
  }

  private static void fail(List<PendingEnqueue> group, Throwable error) {
    settle(group, pending -> pending.future.completeExceptionally(error));
  }

  private static void settle(List<PendingEnqueue> group, Consumer<PendingEnqueue> completion) {
    List<PendingEnqueue> elsewhere = new ArrayList<>();
    for (PendingEnqueue pending : group) {
      if (pending.elsewhere) {
        elsewhere.add(pending);
      } else {
        completion.accept(pending);
      }
    }
    if (!elsewhere.isEmpty()) {
      completeElsewhere(elsewhere, completion);
    }
  }

  private static void completeElsewhere(
      List<PendingEnqueue> group, Consumer<PendingEnqueue> completion) {
    try {
      ForkJoinPool.commonPool().execute(() -> group.forEach(completion));
    } catch (RuntimeException | Error e) {
      log.warn("no thread could be had to complete enqueues, which hold up others now", e);
      group.forEach(completion);
    }
  }

  /** Stores tasks without keys, those of many tenants in one flush. Thread-safe. */
  public static final class PlainStore implements Store {

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
      session.prepend(BoundStatement.reportingCounters());
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
      TenantRef ref = tenant.get(0).tenant;
      ref.confirm(session);
      List<NewTask> tasks = new ArrayList<>(tenant.size());
      for (int i = 0; i < taken.length; i++) {
        tenant.get(i).id = taken[i];
        tasks.add(tenant.get(i).task);
      }
      return taken.length == 1 && TaskInserts.isSimple(ref, tasks.get(0))
          ? List.of(TaskInserts.ofOne(ref, tasks.get(0), taken[0]))
          : TaskInserts.of(ref, tasks, taken);
    }
  }

  /**
   * Stores tasks with keys. They have separate commits: a task that waits for another transaction
   * must not delay tasks without keys. Thread-safe.
   */
  public static final class KeyedStore implements Store {

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
    public boolean singlesOut() {
      return true;
    }
  }
}
