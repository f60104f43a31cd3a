package dev.rota.daemon.internal.maintenance;

import dev.rota.daemon.internal.leader.DaemonCounters;
import dev.rota.daemon.internal.leader.LeaderSession;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.enqueue.Doorbell;
import dev.rota.internal.log.Logs;
import dev.rota.internal.maintenance.Backoff;
import dev.rota.internal.maintenance.FailureTracker;
import dev.rota.internal.maintenance.MaintenanceTask;
import dev.rota.internal.maintenance.SilenceWatch;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.settle.BatchRecovery;
import dev.rota.internal.settle.ClaimedBatch.BatchLocation;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.TenantRegistry;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;

/**
 * Returns the batches of dead workers to the rings, each in a separate transaction. Used by one
 * thread.
 */
public final class Reaper implements MaintenanceTask {

  private static final Sql FIND_BATCHES = Sql.named("find_batches_of_dead_worker");
  private static final Sql FIND_ORPHANED_BATCHES = Sql.named("find_orphaned_batches");
  private static final Sql LOCK_DEAD_WORKER = Sql.named("lock_dead_worker");
  private static final Sql FORGET_DEAD_WORKERS = Sql.named("forget_dead_workers");
  private static final Sql LOOK_FOR_WORKER = Sql.named("look_for_worker");

  private static final Logger log = Logs.of(Reaper.class);

  /** The length of a step, after which the other tasks have a turn. */
  private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  /**
   * The pause between searches for batches without a worker. They are rare: the worker's row was
   * deleted during a claim.
   */
  private static final long NOBODY_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final LeaderSession leader;
  private final Parts parts;
  private final RegistryTables tables;
  private final Duration tick;
  private final DaemonCounters counters;
  private final SilenceWatch silences;
  private final FailureTracker<Long> failures = new FailureTracker<>("return the tasks of");
  private long nobodyAt = System.nanoTime();

  /** Checks, in the transaction that returns a batch, that its worker is dead. */
  private interface LivenessCheck {
    boolean isDead(Session session, BatchLocation batch) throws SQLException;
  }

  /** The parts that the reaper takes from the Rota. */
  public record Parts(TenantRegistry registry, BatchRecovery batchRecovery, Doorbell doorbell) {}

  public Reaper(LeaderSession leader, Parts parts, Duration tick, DaemonCounters counters) {
    this.leader = leader;
    this.parts = parts;
    this.tables = parts.registry.tables();
    this.tick = tick;
    this.counters = counters;
    this.silences = new SilenceWatch(tables);
  }

  @Override
  public String name() {
    return "look for dead workers";
  }

  @Override
  public Duration run() throws SQLException {
    long startedAt = System.nanoTime();
    List<SilenceWatch.Dead> dead = leader.transaction(name(), silences::look);
    boolean finished = true;
    for (SilenceWatch.Dead worker : dead) {
      finished &= reapWorker(worker, startedAt);
    }
    if (!dead.isEmpty() && finished) {
      forget(dead);
    }
    if (startedAt - nobodyAt >= 0) {
      finished &= reapNobodys(startedAt);
    }
    return finished ? Backoff.betweenLooks(tick, startedAt) : Duration.ZERO;
  }

  private boolean reapWorker(SilenceWatch.Dead worker, long startedAt) throws SQLException {
    while (!isLate(startedAt)) {
      List<BatchLocation> batches = find(FIND_BATCHES, worker.worker(), avoided());
      if (batches.isEmpty()) {
        return true;
      }
      if (!reap(batches, startedAt, (session, batch) -> isStillDead(session, worker))) {
        return true;
      }
    }
    return false;
  }

  private boolean reapNobodys(long startedAt) throws SQLException {
    List<BatchLocation> batches = find(FIND_ORPHANED_BATCHES, (Object) avoided());
    reap(batches, startedAt, this::isStillNobodys);
    nobodyAt = System.nanoTime() + Backoff.jittered(NOBODY_NANOS);
    return !isLate(startedAt);
  }

  private List<BatchLocation> find(Sql statement, Object... binds) throws SQLException {
    return leader.transaction(
        "find batches of dead workers",
        session ->
            session.run(
                BatchLocation.find(
                    statement,
                    Map.of("ledger", tables.ledgerView(), "workers", tables.workers()),
                    binds)));
  }

  private long[] avoided() {
    return failures.avoided().stream().mapToLong(Long::longValue).toArray();
  }

  /**
   * Returns batches, and reports whether any was returned, so that a worker that came back is left
   * alone.
   */
  private boolean reap(List<BatchLocation> batches, long startedAt, LivenessCheck inquest) {
    boolean progress = false;
    for (BatchLocation batch : batches) {
      if (!isLate(startedAt)) {
        progress |= reap(batch, inquest);
      }
    }
    return progress;
  }

  /** Returns one batch. A failure counts as progress too: the batch is skipped for a while. */
  private boolean reap(BatchLocation batch, LivenessCheck inquest) {
    Result result = new Result();
    String label = "batch " + batch.id() + " of tenant " + batch.tenant();
    boolean succeeded =
        failures.attempt(
            batch.id(), label, () -> result.tasks = returnTasks(batch, label, inquest));
    if (result.tasks > 0) {
      counters.reaped.addAndGet(result.tasks);
      parts.doorbell.ring(batch.tenant());
      log.info("returned {} tasks of {}: its worker is dead", result.tasks, label);
    }
    return !succeeded || result.tasks >= 0;
  }

  private static final class Result {
    private int tasks = -1;
  }

  /** Returns the tasks of a batch, and their number; -1 if the worker is alive. */
  private int returnTasks(BatchLocation batch, String label, LivenessCheck inquest)
      throws SQLException {
    // Looked up before the transaction: the registry would take a second connection inside it.
    parts.registry.get(batch.tenant());
    return leader.transaction(
        "return the tasks of " + label,
        session ->
            inquest.isDead(session, batch)
                ? parts.batchRecovery.abandon(session, batch, "the worker's lease ended")
                : -1);
  }

  private boolean isStillDead(Session session, SilenceWatch.Dead worker) throws SQLException {
    return !session
        .run(
            BoundStatement.query(
                LOCK_DEAD_WORKER.call(),
                LOCK_DEAD_WORKER.on("workers", tables.workers()),
                row -> row.getLong(1),
                worker.worker(),
                worker.heartbeat()))
        .isEmpty();
  }

  private boolean isStillNobodys(Session session, BatchLocation batch) throws SQLException {
    return !session
        .run(
            BoundStatement.query(
                LOOK_FOR_WORKER.call(),
                LOOK_FOR_WORKER.on(
                    "ledger", tables.ledger(batch.ledger()), "workers", tables.workers()),
                row -> row.getLong(1),
                batch.id()))
        .isEmpty();
  }

  private void forget(List<SilenceWatch.Dead> dead) throws SQLException {
    leader.transaction(
        "forget dead workers",
        session ->
            session.run(
                BoundStatement.update(
                    FORGET_DEAD_WORKERS.call(),
                    FORGET_DEAD_WORKERS.on(
                        "workers", tables.workers(), "ledger", tables.ledgerView()),
                    SilenceWatch.workers(dead),
                    SilenceWatch.heartbeats(dead))));
  }

  private static boolean isLate(long startedAt) {
    return System.nanoTime() - startedAt > STEP_NANOS;
  }
}
