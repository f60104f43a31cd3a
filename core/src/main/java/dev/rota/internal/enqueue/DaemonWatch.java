package dev.rota.internal.enqueue;

import dev.rota.internal.config.RotaConfig.WatchRhythm;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Session;
import dev.rota.internal.log.Logs;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.internal.tenant.TenantRegistry;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;

/**
 * Logs a warning once a minute while no daemon leads and tasks wait that only a daemon returns. It
 * begins with a worker, or with the first task that a producer delays. Thread-safe.
 *
 * <p>While a daemon leads, a check costs one query of the lock table. The wait tables are read only
 * while none leads.
 */
public final class DaemonWatch {

  private static final Sql LOOK_FOR_A_DAEMON = Sql.named("look_for_a_daemon");
  private static final Sql LOOK_FOR_WAIT_TABLES = Sql.named("look_for_wait_tables");
  private static final Sql LOOK_FOR_WAITING_TASKS = Sql.named("look_for_waiting_tasks");

  /** The second key of the leader's lock. */
  public static final int LEADER = -1;

  private static final Logger log = Logs.of(DaemonWatch.class);
  private static final Duration PATIENCE = Duration.ofMillis(100);

  /**
   * The most wait tables that one search reads; more than one, since a table may hold only dead
   * rows.
   */
  private static final int MOST_LOOKED_AT = 100;

  private final Database database;
  private final TenantRegistry registry;
  private final int lockNamespace;
  private final ScheduledExecutorService timer;
  private final WatchRhythm rhythm;
  private final AtomicBoolean begun = new AtomicBoolean();

  public DaemonWatch(
      Database database,
      TenantRegistry registry,
      int lockNamespace,
      ScheduledExecutorService timer,
      WatchRhythm rhythm) {
    this.database = database;
    this.registry = registry;
    this.lockNamespace = lockNamespace;
    this.timer = timer;
    this.rhythm = rhythm;
  }

  /** Starts the checks. Idempotent. */
  public void begin() {
    if (!begun.get() && !begun.getAndSet(true)) {
      appoint(rhythm.first());
    }
  }

  private void appoint(Duration pause) {
    long millis = pause.toMillis();
    long jittered = millis + ThreadLocalRandom.current().nextLong(millis / 8 + 1);
    var unused = timer.schedule(this::lookQuietly, jittered, TimeUnit.MILLISECONDS);
  }

  /**
   * Runs a check, and logs failures at debug level: other parts meet the same failure; the watch
   * continues.
   */
  private void lookQuietly() {
    try {
      if (!isLed()) {
        findWaiting().ifPresent(DaemonWatch::warn);
      }
    } catch (RuntimeException | Error e) {
      log.debug("no look for a daemon", e);
    } finally {
      appoint(rhythm.pause());
    }
  }

  private boolean isLed() {
    return database
        .transaction(
            "look for a daemon",
            session ->
                session.run(
                    BoundStatement.query(
                        LOOK_FOR_A_DAEMON,
                        row -> row.getBoolean(1),
                        (long) lockNamespace,
                        (long) LEADER)))
        .get(0);
  }

  /** Finds a tenant with waiting tasks. */
  private Optional<TenantRef> findWaiting() {
    List<TenantRef> tenants = registry.loadAll();
    return database
        .withLockTimeout(PATIENCE)
        .transaction("look for waiting tasks", session -> findWaiting(session, tenants));
  }

  private static Optional<TenantRef> findWaiting(Session session, List<TenantRef> tenants)
      throws SQLException {
    String[] names =
        tenants.stream()
            .map(tenant -> Sql.render(tenant.tables().waiting()))
            .toArray(String[]::new);
    List<Integer> filled =
        session.run(
            BoundStatement.query(LOOK_FOR_WAIT_TABLES, row -> row.getInt(1), (Object) names));
    for (int place : filled.subList(0, Math.min(filled.size(), MOST_LOOKED_AT))) {
      TenantRef tenant = tenants.get(place - 1);
      if (waits(session, tenant)) {
        return Optional.of(tenant);
      }
    }
    return Optional.empty();
  }

  private static boolean waits(Session session, TenantRef tenant) throws SQLException {
    return session
        .run(
            BoundStatement.query(
                LOOK_FOR_WAITING_TASKS.call(),
                LOOK_FOR_WAITING_TASKS.on("waiting", tenant.tables().waiting()),
                row -> row.getBoolean(1)))
        .get(0);
  }

  private static void warn(TenantRef tenant) {
    log.warn(
        "no Rota daemon leads: delayed tasks and retries wait until one does, such as those of {}."
            + " Run `rota daemon`, or RotationDaemon.start(rota) in this process",
        tenant.label());
  }
}
