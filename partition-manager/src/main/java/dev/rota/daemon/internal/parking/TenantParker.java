package dev.rota.daemon.internal.parking;

import dev.rota.daemon.internal.leader.DaemonConfig;
import dev.rota.daemon.internal.leader.DaemonCounters;
import dev.rota.daemon.internal.leader.LeaderSession;
import dev.rota.daemon.internal.leader.TenantCatalog;
import dev.rota.internal.log.Logs;
import dev.rota.internal.maintenance.Backoff;
import dev.rota.internal.maintenance.FailureTracker;
import dev.rota.internal.maintenance.MaintenanceTask;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.TenantRef;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;

/**
 * Parks idle tenants: announces that their tables will be dropped, and drops them some minutes
 * later, one tenant in each step. Used by one thread.
 */
public final class TenantParker implements MaintenanceTask {

  private static final Sql FIND_IDLE_TENANTS = Sql.named("find_idle_tenants");
  private static final Sql ANNOUNCE_PARKING = Sql.named("announce_parking");
  private static final Sql FIND_ANNOUNCED_TENANTS = Sql.named("find_announced_tenants");
  private static final Sql WITHDRAW_PARKING = Sql.named("withdraw_parking");

  private static final Logger log = Logs.of(TenantParker.class);

  /** The number of tenants of one look and one announcement. */
  private static final int TOGETHER = 50;

  private final LeaderSession leader;
  private final TenantCatalog catalog;
  private final DaemonConfig.Parking settings;
  private final double workShare;
  private final DaemonCounters counters;
  private final ParkingCalls calls;
  private final Parking parking;
  private final FailureTracker<Integer> failures = new FailureTracker<>("park");
  private final Deque<Integer> due = new ArrayDeque<>();
  private final Set<Integer> told = new HashSet<>();
  private int lookedUpTo;

  /**
   * Creates the task of one leader.
   *
   * @param lockNamespace the first key of the gates of tenants
   */
  public TenantParker(
      LeaderSession leader,
      TenantCatalog catalog,
      int lockNamespace,
      DaemonConfig config,
      DaemonCounters counters) {
    this.leader = leader;
    this.catalog = catalog;
    this.settings = config.rotation().parking();
    this.workShare = config.pace().workShare();
    this.counters = counters;
    RegistryTables rota = catalog.tables();
    this.calls = new ParkingCalls(rota);
    this.parking = new Parking(rota, lockNamespace, settings.after());
  }

  @Override
  public String name() {
    return "park idle tenants";
  }

  @Override
  public Duration run() throws SQLException {
    long startedAt = System.nanoTime();
    if (due.isEmpty()) {
      announce();
      due.addAll(announced());
    }
    Integer next = due.poll();
    if (next == null) {
      return Backoff.betweenLooks(settings.interval(), startedAt);
    }
    TenantCatalog.Entry entry = catalog.find(next);
    if (entry != null) {
      failures.attempt(next, entry.tenant().label(), () -> park(entry.tenant()));
    }
    return Backoff.afterWork(startedAt, workShare);
  }

  /** Announces those of the next idle tenants that are empty. */
  private void announce() throws SQLException {
    List<Integer> empty = new ArrayList<>();
    for (int number : idle()) {
      TenantCatalog.Entry entry = catalog.find(number);
      if (entry != null && failures.mayTry(number) && isEmpty(entry.tenant())) {
        empty.add(number);
      }
    }
    if (!empty.isEmpty()) {
      int unused =
          leader.transaction(
              name(),
              session ->
                  session.run(
                      calls.update(
                          ANNOUNCE_PARKING,
                          (double) settings.notice().toMillis(),
                          numbers(empty))));
    }
  }

  /** Goes round all tenants, some at each look, so that none waits behind those that stay. */
  private List<Integer> idle() throws SQLException {
    List<Integer> found =
        leader.transaction(
            name(),
            session ->
                session.run(
                    calls.query(
                        FIND_IDLE_TENANTS,
                        row -> row.getInt(1),
                        (double) settings.after().toMillis(),
                        lookedUpTo,
                        TOGETHER)));
    lookedUpTo = found.size() == TOGETHER ? found.get(TOGETHER - 1) : 0;
    return found;
  }

  private boolean isEmpty(TenantRef tenant) {
    AtomicBoolean empty = new AtomicBoolean();
    failures.attempt(tenant.number(), tenant.label(), () -> empty.set(look(tenant)));
    return empty.get();
  }

  private boolean look(TenantRef tenant) throws SQLException {
    try {
      return leader.transaction(
          "look whether " + tenant.label() + " is idle",
          session -> parking.isEmpty(session, tenant.tables()));
    } catch (Parking.BusyException e) {
      tell(tenant, e);
      return false;
    }
  }

  private List<Integer> announced() throws SQLException {
    return leader.transaction(
        name(),
        session ->
            session.run(
                calls.query(
                    FIND_ANNOUNCED_TENANTS,
                    row -> row.getInt(1),
                    numbers(failures.avoided()),
                    TOGETHER)));
  }

  private void park(TenantRef tenant) throws SQLException {
    try {
      boolean parked =
          leader.transaction(
              "park " + tenant.label(), session -> parking.run(session, tenant.tables()));
      if (parked) {
        counters.tenantsParked.incrementAndGet();
        log.debug("the Rota daemon parked {}", tenant.label());
        catalog.forget(tenant.number());
      }
    } catch (Parking.BusyException e) {
      withdraw(tenant, e);
    }
  }

  private void withdraw(TenantRef tenant, Parking.BusyException reason) throws SQLException {
    int unused =
        leader.transaction(
            "keep the tables of " + tenant.label(),
            session -> session.run(calls.update(WITHDRAW_PARKING, tenant.number())));
    tell(tenant, reason);
  }

  private void tell(TenantRef tenant, Parking.BusyException reason) {
    if (reason.isLasting() && told.add(tenant.number())) {
      log.info(
          "the Rota daemon does not park {}, which is idle: {}",
          tenant.label(),
          reason.getMessage());
    } else {
      log.debug("the Rota daemon does not park {}: {}", tenant.label(), reason.getMessage());
    }
  }

  private static int[] numbers(Iterable<Integer> tenants) {
    List<Integer> all = new ArrayList<>();
    tenants.forEach(all::add);
    return all.stream().mapToInt(Integer::intValue).toArray();
  }
}
