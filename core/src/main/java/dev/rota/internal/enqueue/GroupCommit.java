package dev.rota.internal.enqueue;

import dev.rota.DatabaseException;
import dev.rota.NewTask;
import dev.rota.RotaClosedException;
import dev.rota.RotaException;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.DaemonThreads;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.log.Logs;
import dev.rota.internal.tenant.LaneCreator;
import dev.rota.internal.tenant.SlotWidener;
import dev.rota.internal.tenant.TablesOnDemand;
import dev.rota.internal.tenant.TaskValidator;
import dev.rota.internal.tenant.TenantAllowances.Charge;
import dev.rota.internal.tenant.TenantAllowances.Room;
import dev.rota.internal.tenant.TenantRef;
import java.sql.SQLException;
import java.time.Duration;
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

  /** The longest wait for a lock that delays the tasks of other callers. */
  private static final Duration BRIEFLY = Duration.ofMillis(200);

  private final Admission admission;
  private final Database database;
  private final Database brief;
  private final Store store;
  private final Doorbell doorbell;
  private final long memory;

  /** Takes over tasks that a lock holds up, so that the others go on; null if no lock may. */
  private final @Nullable GroupCommit patient;

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

    /** Whether other programs may hold locks for long for which the transaction waits. */
    default boolean meetsLocks() {
      return false;
    }

    /**
     * The tasks of one tenant in the smaller groups that are worth another try after a refusal;
     * none if none is.
     *
     * @param locked whether a lock was not to be had
     */
    default List<List<PendingEnqueue>> parts(List<PendingEnqueue> tenant, boolean locked) {
      return List.of();
    }
  }

  /** A task on its way into the database. Used by one thread at a time. */
  static final class PendingEnqueue {

    private static final int OVERHEAD_BYTES = 200;

    final TenantRef tenant;
    final NewTask task;
    private final CompletableFuture<Long> future = new CompletableFuture<>();
    private final boolean elsewhere;

    /** The id under which it is being stored. */
    long id;

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
    this.brief = database.withLockTimeout(BRIEFLY);
    this.store = store;
    this.doorbell = doorbell;
    this.memory = memory;
    this.patient = store.meetsLocks() ? new GroupCommit(this) : null;
  }

  /** One that takes over tasks from another. */
  private GroupCommit(GroupCommit front) {
    this.admission = front.admission;
    this.database = front.database;
    this.brief = front.brief;
    this.store = front.store;
    this.doorbell = front.doorbell;
    this.memory = front.memory;
    this.patient = null;
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
    if (patient != null) {
      patient.close();
    }
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
      while (!closed && !hasRoomFor(pending)) {
        roomMade.awaitUninterruptibly();
      }
      if (closed) {
        throw new RotaClosedException(
            "enqueue for " + pending.tenant.label() + ": Rota was closed");
      }
      accept(pending);
      return pending.future;
    } finally {
      lock.unlock();
    }
  }

  private boolean hasRoomFor(PendingEnqueue pending) {
    return bytesHeld == 0 || bytesHeld + pending.bytes() <= memory;
  }

  private void accept(PendingEnqueue pending) {
    bytesHeld += pending.bytes();
    queue.add(pending);
    startWriters();
    arrived.signal();
  }

  /** Accepts tasks without a wait for room, all for one transaction; returns those without room. */
  private List<PendingEnqueue> takeOver(List<PendingEnqueue> tasks) {
    List<PendingEnqueue> left = new ArrayList<>();
    lock.lock();
    try {
      for (PendingEnqueue pending : tasks) {
        if (!closed && hasRoomFor(pending)) {
          accept(pending);
        } else {
          left.add(pending);
        }
      }
    } finally {
      lock.unlock();
    }
    return left;
  }

  /** Of those that wait for locks only one does, with one connection. */
  private void startWriters() {
    int most = store.meetsLocks() && patient == null ? 1 : WRITERS;
    while (writers.size() < most) {
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
    Enqueues enqueues = new Enqueues();
    enqueues.serve(List.copyOf(byTenant.values()));
    enqueues.handOver();
  }

  /**
   * Stores the tasks of several tenants. After a refusal each tenant commits alone, and then each
   * of the parts that the store names. No more than one wait for a lock is long. Used once.
   */
  private final class Enqueues implements Database.SharedTransaction<List<PendingEnqueue>> {

    private final List<PendingEnqueue> heldUp = new ArrayList<>();
    private boolean isBrief = patient != null;

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
      Database tried = isBrief ? brief : database;
      return tried.tryTransaction(
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
    public List<List<List<PendingEnqueue>>> parts(
        List<List<PendingEnqueue>> tenants, RuntimeException refusal) {
      boolean locked = SqlErrors.isLockConflict(refusal);
      isBrief |= locked && store.meetsLocks();
      List<List<PendingEnqueue>> parts =
          tenants.size() > 1 ? tenants : store.parts(tenants.get(0), locked);
      return parts.stream().map(List::of).toList();
    }

    @Override
    public void committed(List<List<PendingEnqueue>> tenants) {
      tenants.forEach(tenant -> settle(tenant, PendingEnqueue::complete));
      tenants.forEach(GroupCommit.this::ring);
    }

    @Override
    public void failed(List<List<PendingEnqueue>> tenants, Throwable failure) {
      if (patient != null
          && failure instanceof DatabaseException refusal
          && SqlErrors.isLockConflict(refusal)) {
        tenants.forEach(tenant -> tenant.forEach(pending -> pending.refusal = refusal));
        tenants.forEach(heldUp::addAll);
        return;
      }
      Throwable told = failure instanceof Error e ? inDoubt(e) : failure;
      tenants.forEach(tenant -> fail(tenant, told));
    }

    /** Lets the tasks that a lock holds up wait elsewhere; those without room there are refused. */
    void handOver() {
      if (patient != null && !heldUp.isEmpty()) {
        settle(patient.takeOver(heldUp), PendingEnqueue::complete);
      }
    }
  }

  private static DatabaseException inDoubt(Error e) {
    String message = "enqueue: whether it was stored is not known, because of " + e;
    return new DatabaseException(message, e, false, true);
  }

  private void ring(List<PendingEnqueue> tenant) {
    try {
      if (tenant.stream()
          .anyMatch(pending -> pending.refusal == null && !TaskInserts.isDelayed(pending.task))) {
        doorbell.ring(tenant.get(0).tenant.number());
      }
    } catch (RuntimeException | Error e) {
      log.warn("the doorbell could not be rung; polling finds the work", e);
    }
  }

  private static void fail(List<PendingEnqueue> group, Throwable error) {
    settle(group, pending -> pending.future.completeExceptionally(error));
  }

  private static void settle(List<PendingEnqueue> group, Consumer<PendingEnqueue> completion) {
    group.stream().filter(pending -> !pending.elsewhere).forEach(completion);
    List<PendingEnqueue> elsewhere = group.stream().filter(each -> each.elsewhere).toList();
    if (!elsewhere.isEmpty()) {
      runElsewhere(() -> settleEach(elsewhere, completion));
    }
  }

  /** Completes each in a job of its own: a stage may block, or wait for another future. */
  private static void settleEach(List<PendingEnqueue> group, Consumer<PendingEnqueue> completion) {
    // A thread of the pool keeps the jobs that it adds, and begins with the latest one.
    for (int i = group.size() - 1; i >= 0; i--) {
      PendingEnqueue pending = group.get(i);
      runElsewhere(() -> completion.accept(pending));
    }
  }

  private static void runElsewhere(Runnable job) {
    try {
      ForkJoinPool.commonPool().execute(job);
    } catch (RuntimeException | Error e) {
      log.warn("no thread could be had to complete enqueues, which hold up others now", e);
      job.run();
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
}
