package dev.rota.internal.settle;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.log.Logs;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.settle.ClaimedBatch.BatchLocation;
import dev.rota.internal.sql.Sql;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.security.SecureRandom;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The lease of this process as a holder of batches: its row in the table of workers, and its
 * heartbeats. Starts with the first claim. Thread-safe.
 *
 * <p>Also finds batches that the ledger books for this process but that it does not know. Such a
 * batch comes from a claim whose COMMIT succeeded though its answer was lost, or from a failed
 * hand-back or settle. No other process would return them while this process lives.
 */
public final class ProcessLease implements AutoCloseable {

  /** The pool of tenants and workers that were given none. */
  public static final String STANDARD_POOL = "default";

  private static final Sql FIND_BATCHES = Sql.named("find_batches_of_worker");
  private static final Sql REGISTER_WORKER = Sql.named("register_worker");
  private static final Sql HEARTBEAT = Sql.named("heartbeat");
  private static final Sql SIGN_OFF = Sql.named("sign_off");

  private static final Logger log = Logs.of(ProcessLease.class);
  private static final int BEATS_PER_LEASE = 5;
  private static final String NOBODYS = "the process that claimed it did not know of it";

  private final Database database;
  private final RegistryTables tables;
  private final Duration length;
  private final ScheduledExecutorService timer;
  private final BatchRecovery batchRecovery;
  private final Set<Long> held = ConcurrentHashMap.newKeySet();
  private volatile long workerId;
  private volatile long beatAt;
  private volatile boolean doubtful;
  private final AtomicLong term = new AtomicLong();
  private WorkerIdentity identity = WorkerIdentity.draw();
  private boolean beating;
  final WorkerServices services = new WorkerServices(STANDARD_POOL);
  private final Set<Long> stuck = ConcurrentHashMap.newKeySet();
  private boolean closed;

  public ProcessLease(
      Database database,
      RegistryTables tables,
      Duration length,
      ScheduledExecutorService timer,
      BatchRecovery batchRecovery) {
    this.database = database;
    this.tables = tables;
    this.length = length;
    this.timer = timer;
    this.batchRecovery = batchRecovery;
  }

  /**
   * The number of this process as a holder of batches, with a lease that is long enough for a
   * claim. A process that was frozen sends a heartbeat first.
   *
   * @throws dev.rota.RotaException if the heartbeat failed; nothing may be claimed then
   */
  public long holder() {
    if (workerId == 0 || doubtful || System.nanoTime() - beatAt > length.toNanos() / 2) {
      beat();
    }
    return workerId;
  }

  /**
   * Checks the registration before the next claim: the server may be in another history, in which
   * this process is no worker.
   */
  public void doubt() {
    doubtful = true;
  }

  /** Whether a claim that was begun for this worker may continue. */
  public boolean isHolder(long worker) {
    return worker == workerId && !doubtful;
  }

  /**
   * Whether tasks of a batch may still start: this process claimed it under its present number, and
   * its last heartbeat is younger than the lease. A process that was frozen may find that other
   * workers run them.
   *
   * @param now the time by {@link System#nanoTime}
   */
  public boolean covers(BatchLocation batch, long now) {
    return batch.worker() == workerId && now - beatAt < length.toNanos();
  }

  /**
   * The number of the present term. Another one begins when others may have taken this process for
   * dead: what it held besides batches may be theirs by then.
   */
  public long term() {
    return term.get();
  }

  /**
   * Whether this process still holds what it held in a term.
   *
   * @param now the time by {@link System#nanoTime}
   */
  public boolean holds(long inTerm, long now) {
    return inTerm == term.get() && now - beatAt < length.toNanos();
  }

  /** The number of this process, without a heartbeat; 0 before its first claim. */
  public long worker() {
    return workerId;
  }

  /** The length of the lease. */
  public Duration length() {
    return length;
  }

  /**
   * What a worker does.
   *
   * @param pools the pools of tenants that it serves
   * @param shards how many workers visit each of them; 0 for all
   * @param kinds the kinds that it has handlers for
   * @param left the kinds whose tasks it leaves pending
   */
  public record Service(Set<String> pools, int shards, Set<String> kinds, LeftKinds left) {}

  /**
   * Records that this process has such a worker. Pools and shards are registered at once, since
   * other processes rely on them; the rest with the first claim, or a heartbeat.
   */
  public void serve(Service service) {
    services.add(service);
    registerServices();
  }

  /** Ends what {@link #serve} began. */
  public void leave(Service service) {
    services.remove(service);
    registerServices();
  }

  private void registerServices() {
    if (services.areUrgent()) {
      timer.execute(
          () -> {
            beatQuietly();
            beatFromNowOn();
          });
    }
  }

  private synchronized void beatFromNowOn() {
    startTimer();
  }

  synchronized void writeServices() {
    if (services.areNews() && workerId != 0) {
      long worker = workerId;
      services.wrote(
          database.transaction(
              "register services", session -> services.write(session, tables, worker)));
    }
  }

  /** Books a batch as known before its claim is sent. */
  public void hold(long batch) {
    held.add(batch);
  }

  /**
   * Forgets a batch that was settled, handed back, or never created. If it is nevertheless open,
   * its tasks are returned within about a lease.
   */
  public void drop(long batch) {
    held.remove(batch);
  }

  /**
   * Hands back the batches that are still held, and signs off. If that fails, the daemon does it
   * after the lease.
   */
  @Override
  public synchronized void close() {
    closed = true;
    if (workerId != 0) {
      database.transaction("look for open batches", this::findOpen).forEach(this::handBackQuietly);
      database.run("sign off as a worker", this::deleteRow);
    }
  }

  /** Hands back a batch. A failure is logged, so that the tasks of other tenants still return. */
  private void handBackQuietly(BatchLocation batch) {
    try {
      database.transaction(
          "hand back batch " + batch.id() + " of tenant " + batch.tenant(),
          session -> batchRecovery.release(session, batch));
    } catch (RuntimeException e) {
      log.warn("Rota could not hand back a batch, whose tasks run again later: {}", e.getMessage());
    }
  }

  private void deleteRow(Session session) throws SQLException {
    session.run(
        BoundStatement.update(SIGN_OFF.call(), SIGN_OFF.on("workers", tables.workers()), workerId));
  }

  private List<BatchLocation> findOpen(Session session) throws SQLException {
    return session.run(BatchLocation.find(FIND_BATCHES, tables, workerId));
  }

  synchronized void beat() {
    doubtful = false;
    try {
      renewOrRegister();
    } catch (RuntimeException | Error e) {
      doubtful = true;
      throw e;
    }
    startTimer();
  }

  private void renewOrRegister() {
    long sentAt = System.nanoTime();
    if (workerId != 0 && !renew()) {
      startAnew();
    }
    if (workerId == 0) {
      @Nullable Set<String> kinds = services.kinds();
      database.run("send a heartbeat", session -> register(session, kinds));
      services.registered(kinds);
      workerId = identity.worker();
    }
    identity = identity.confirmed();
    if (System.nanoTime() - beatAt >= length.toNanos()) {
      var unused = term.incrementAndGet();
    }
    beatAt = sentAt;
  }

  private void startTimer() {
    if (!beating && !closed) {
      beating = true;
      long pause = length.toMillis() / BEATS_PER_LEASE;
      var unusedBeats =
          timer.scheduleWithFixedDelay(this::beatQuietly, pause, pause, TimeUnit.MILLISECONDS);
      // Apart from the heartbeats: finding a batch may take a scan of its segment.
      var unusedLooks =
          timer.scheduleWithFixedDelay(
              this::returnUnknownQuietly,
              length.toMillis(),
              length.toMillis(),
              TimeUnit.MILLISECONDS);
    }
  }

  /** Whether the row is still the one that this process wrote last. */
  private boolean renew() {
    return database.transaction(
            "send a heartbeat",
            session ->
                session.run(
                    BoundStatement.update(
                        HEARTBEAT.call(),
                        HEARTBEAT.on("workers", tables.workers()),
                        identity.next(),
                        identity.worker(),
                        new long[] {identity.token(), identity.next()})))
        == 1;
  }

  private void register(Session session, @Nullable Set<String> kinds) throws SQLException {
    session.run(
        BoundStatement.update(
            REGISTER_WORKER.call(),
            REGISTER_WORKER.on("workers", tables.workers()),
            identity.worker(),
            hostAndProcess(),
            length.toMillis(),
            identity.next(),
            WorkerServices.array(kinds)));
  }

  /** Registers as another worker; the daemon returns the batches of the former one. */
  private void startAnew() {
    log.warn(
        "the row of worker {} is gone or is not the one that this process wrote: it was silent for"
            + " longer than its lease, or the database was restored or replaced by a standby. Rota"
            + " starts anew as another worker; outcomes of tasks that it still runs may be dropped",
        workerId);
    workerId = 0;
    identity = WorkerIdentity.draw();
    held.clear();
  }

  private void beatQuietly() {
    try {
      beatUnlessClosed();
    } catch (RuntimeException | Error e) {
      // Any exception: after it the timer would send no more heartbeats.
      log.warn("Rota could not send a heartbeat: {}", e.getMessage());
    }
  }

  /** Under one lock: after the end this process must not register anew. */
  private synchronized void beatUnlessClosed() {
    if (!closed) {
      beat();
      writeServices();
    }
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  private void returnUnknownQuietly() {
    try {
      if (!isClosed()) {
        returnUnknownBatches();
      }
    } catch (RuntimeException | Error e) {
      // Any exception: after it the timer would run no more searches.
      log.warn("Rota could not look for batches that its process does not know: {}", e.toString());
    }
  }

  /**
   * Returns batches that this process does not know. A claim in progress is booked already, so only
   * batches without a holder are found.
   */
  void returnUnknownBatches() {
    List<BatchLocation> open =
        database.transaction("look for batches without a holder", this::findOpen);
    stuck.retainAll(open.stream().map(BatchLocation::id).toList());
    for (BatchLocation batch : open) {
      // In the opposite order, a new start between the two would include batches of the former
      // worker.
      if (!held.contains(batch.id()) && batch.worker() == workerId) {
        returnUnknown(batch);
      }
    }
  }

  /** Returns one batch. A failure does not stop the others; it is logged when it begins. */
  private void returnUnknown(BatchLocation batch) {
    String label = "batch " + batch.id() + " of tenant " + batch.tenant();
    try {
      int returned =
          database.transaction(
              "return " + label, session -> batchRecovery.abandon(session, batch, NOBODYS));
      log.info(
          "Rota returned {} tasks of {}, which this process does not know: the answer to its claim was"
              + " lost, or it could not be handed back",
          returned,
          label);
    } catch (RuntimeException e) {
      if (SqlErrors.isConnectionLoss(e)) {
        throw e;
      }
      if (stuck.add(batch.id())) {
        log.warn("Rota keeps trying to return a batch of this process: {}", e.getMessage());
      }
    }
  }

  private static String hostAndProcess() {
    return hostName() + "/" + ProcessHandle.current().pid();
  }

  private static String hostName() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      // Only a hint for people: a host without a name must not stop the process.
      return "unknown host";
    }
  }

  /**
   * The random number under which a process is registered as a worker, and the tokens by which it
   * recognises its row. A number and a token that occur again prove nothing after a restore.
   *
   * @param worker its number, never 0, which means no worker
   * @param token the token of the last confirmed heartbeat
   * @param next the token of the next heartbeat; it may have been written, and the answer lost
   */
  private record WorkerIdentity(long worker, long token, long next) {

    private static final SecureRandom RANDOM = new SecureRandom();

    /** Draws a new identity. */
    static WorkerIdentity draw() {
      long next = positive();
      return new WorkerIdentity(positive(), next, next);
    }

    /** Returns the identity after a confirmed heartbeat. */
    WorkerIdentity confirmed() {
      return new WorkerIdentity(worker, next, positive());
    }

    private static long positive() {
      return 1 + (RANDOM.nextLong() >>> 2);
    }
  }
}
