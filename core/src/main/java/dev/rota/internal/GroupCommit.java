package dev.rota.internal;

import dev.rota.NewTask;
import dev.rota.RotaClosedException;
import dev.rota.RotaException;
import dev.rota.internal.db.Call;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.RingSql;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Lets single enqueues of all threads and tenants share transactions: whatever arrives while one
 * transaction commits goes into the next one. A future completes only after the commit.
 * Thread-safe.
 *
 * <p>Group commit is an old idea of databases (DeWitt et al., "Implementation Techniques for Main
 * Memory Database Systems", 1984); here it is done by the client, which saves the round trips as
 * well.
 */
final class GroupCommit implements AutoCloseable {

  private static final int WRITERS = 2;
  private static final int MOST_TASKS = 10_000;
  private static final int TENANTS_PER_FLUSH = 32;
  private static final int OVERHEAD_BYTES = 200;

  private final Database database;
  private final IdBlocks ids;
  private final Doorbell doorbell;
  private final long memory;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition arrived = lock.newCondition();
  private final Condition roomMade = lock.newCondition();
  private List<Pending> queue = new ArrayList<>();
  private final List<Thread> writers = new ArrayList<>();
  private long bytesHeld;
  private boolean closed;

  GroupCommit(Database database, IdBlocks ids, Doorbell doorbell, long memory) {
    this.database = database;
    this.ids = ids;
    this.doorbell = doorbell;
    this.memory = memory;
  }

  /**
   * Completes on the common pool, so that what the caller hangs on it cannot hold up the writers.
   */
  CompletableFuture<Long> enqueueAsync(TenantHandle tenant, NewTask task) {
    CompletableFuture<Long> future = new CompletableFuture<>();
    add(new Pending(tenant, task, future, true));
    return future;
  }

  /**
   * Returns a future on which only {@code join} may be called: it completes on a writer's thread.
   */
  CompletableFuture<Long> enqueueAndJoin(TenantHandle tenant, NewTask task) {
    CompletableFuture<Long> future = new CompletableFuture<>();
    add(new Pending(tenant, task, future, false));
    return future;
  }

  /** Writes what was accepted, then stops. Idempotent. */
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
    writers.forEach(Threads::join);
  }

  private void add(Pending pending) {
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
    for (List<Pending> group = next(); !group.isEmpty(); group = next()) {
      commitOrFail(group);
      release(group);
    }
  }

  /** Whoever waits must learn of an Error as well, and the writer must live on. */
  private void commitOrFail(List<Pending> group) {
    try {
      commit(group);
    } catch (Error e) {
      fail(group, new RotaException("enqueue failed: " + e, e));
    }
  }

  /** Waits for tasks; an empty group means that nothing will come any more. */
  private List<Pending> next() {
    lock.lock();
    try {
      while (queue.isEmpty() && !closed) {
        arrived.awaitUninterruptibly();
      }
      List<Pending> group = queue;
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

  private void release(List<Pending> group) {
    lock.lock();
    try {
      for (Pending pending : group) {
        bytesHeld -= pending.bytes();
      }
      roomMade.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** One tenant's trouble must not fail the others: after a refusal each tenant commits alone. */
  private void commit(List<Pending> group) {
    Map<Integer, List<Pending>> byTenant = new TreeMap<>();
    for (Pending pending : group) {
      byTenant.computeIfAbsent(pending.tenant.number(), n -> new ArrayList<>()).add(pending);
    }
    List<List<Pending>> tenants = List.copyOf(byTenant.values());
    try {
      commitTogether(tenants);
    } catch (RuntimeException | Error e) {
      if (tenants.size() == 1 || Failures.isConnectionLoss(e)) {
        fail(group, e);
      } else {
        tenants.forEach(this::commitAlone);
      }
    }
  }

  private void commitAlone(List<Pending> tenant) {
    try {
      commitTogether(List.of(tenant));
    } catch (RuntimeException | Error e) {
      fail(tenant, e);
    }
  }

  private void commitTogether(List<List<Pending>> tenants) {
    List<Call<Integer>> insertions = new ArrayList<>();
    for (List<Pending> tenant : tenants) {
      insertions.addAll(insertions(tenant));
    }
    database.run(
        tenants.size() == 1
            ? Enqueuer.purpose(tenants.get(0).get(0).tenant)
            : "enqueue for " + tenants.size() + " tenants",
        session -> {
          session.runAhead(
              Call.repeated(RingSql.REPORT.call(), RingSql.REPORT.repeated(), row -> true));
          for (int from = 0; from < insertions.size(); from += TENANTS_PER_FLUSH) {
            int to = Math.min(from + TENANTS_PER_FLUSH, insertions.size());
            session.runTogether(insertions.subList(from, to));
          }
        });
    tenants.forEach(this::complete);
  }

  private List<Call<Integer>> insertions(List<Pending> tenant) {
    long[] taken = ids.take(tenant.size());
    List<NewTask> tasks = new ArrayList<>(tenant.size());
    for (int i = 0; i < taken.length; i++) {
      tenant.get(i).id = taken[i];
      tasks.add(tenant.get(i).task);
    }
    TenantHandle handle = tenant.get(0).tenant;
    return taken.length == 1 && !Insertions.isDelayed(tasks.get(0))
        ? List.of(Insertions.ofOne(handle, tasks.get(0), taken[0]))
        : Insertions.of(handle, tasks, taken);
  }

  private void complete(List<Pending> tenant) {
    if (tenant.stream().anyMatch(pending -> !Insertions.isDelayed(pending.task))) {
      doorbell.ring(tenant.get(0).tenant.number());
    }
    settle(tenant, pending -> pending.future.complete(pending.id));
  }

  private static void fail(List<Pending> group, Throwable error) {
    settle(group, pending -> pending.future.completeExceptionally(error));
  }

  private static void settle(List<Pending> group, Consumer<Pending> completion) {
    List<Pending> elsewhere = new ArrayList<>();
    for (Pending pending : group) {
      if (pending.elsewhere) {
        elsewhere.add(pending);
      } else {
        completion.accept(pending);
      }
    }
    if (!elsewhere.isEmpty()) {
      ForkJoinPool.commonPool().execute(() -> elsewhere.forEach(completion));
    }
  }

  private static final class Pending {
    private final TenantHandle tenant;
    private final NewTask task;
    private final CompletableFuture<Long> future;
    private final boolean elsewhere;
    private long id;

    Pending(TenantHandle tenant, NewTask task, CompletableFuture<Long> future, boolean elsewhere) {
      this.tenant = tenant;
      this.task = task;
      this.future = future;
      this.elsewhere = elsewhere;
    }

    long bytes() {
      return OVERHEAD_BYTES + 2L * task.payload().length();
    }
  }
}
