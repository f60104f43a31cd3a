package dev.rota.daemon.internal;

import dev.rota.Rota;
import dev.rota.daemon.internal.leader.DaemonCounters;
import dev.rota.daemon.internal.leader.LeaderLock;
import dev.rota.daemon.internal.leader.LeaderSession;
import dev.rota.daemon.internal.leader.TenantCatalog;
import dev.rota.internal.DefaultRota;
import dev.rota.internal.Kernel;
import dev.rota.internal.enqueue.DaemonWatch;
import dev.rota.internal.maintenance.MaintenanceTask;
import dev.rota.internal.tenant.TenantRef;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.IntPredicate;

/**
 * Does the work of the daemon that moves tasks, in the thread of its caller: for tests of
 * applications. It leads until it is closed. Used by one thread.
 */
public final class InlineMaintenance implements AutoCloseable {

  private final Rota rota;
  private final IntPredicate tenants;
  private final LeaderLock lock;
  private final LeaderSession leader;

  private InlineMaintenance(
      Rota rota, IntPredicate tenants, LeaderLock lock, LeaderSession leader) {
    this.rota = rota;
    this.tenants = tenants;
    this.lock = lock;
    this.leader = leader;
  }

  /**
   * Begins to lead.
   *
   * @param tenants whether to serve a tenant, given its number
   * @throws IllegalStateException if a daemon leads
   * @throws SQLException if the database refused
   */
  public static InlineMaintenance begin(Rota rota, IntPredicate tenants) throws SQLException {
    Kernel kernel = DefaultRota.kernelOf(rota);
    LeaderLock lock =
        LeaderLock.unwatched(
            kernel.database(), kernel.settings().lockNamespace(), DaemonWatch.LEADER);
    LeaderSession leader = lock.seek();
    if (leader == null) {
      throw new IllegalStateException(
          "a daemon leads in this database, and a test does its work itself; do not start one");
    }
    return new InlineMaintenance(rota, tenants, lock, leader);
  }

  /**
   * Enqueues what is due: delayed tasks, retries, schedules, what graphs release.
   *
   * @return the tenants with tables by now
   * @throws SQLException if the database refused
   */
  public List<TenantRef> run() throws SQLException {
    for (MaintenanceTask task : plan().beginEnqueuing()) {
      task.run();
    }
    Kernel kernel = DefaultRota.kernelOf(rota);
    // A schedule may have made tables.
    return kernel.registry().loadAll().stream()
        .filter(each -> tenants.test(each.number()))
        .toList();
  }

  /**
   * Enqueues delayed tasks and retries that are due, where nothing else is.
   *
   * @return the tenants with tables
   * @throws SQLException if the database refused
   */
  public List<TenantRef> promote() throws SQLException {
    MaintenancePlan plan = plan();
    Duration unused = plan.beginPromoting().run();
    return plan.tenants();
  }

  /** A plan that knows nothing yet: each tenant is due for it. */
  private MaintenancePlan plan() {
    Kernel kernel = DefaultRota.kernelOf(rota);
    return new MaintenancePlan(
        leader,
        new TenantCatalog(leader, kernel.registry(), kernel.tables(), tenants),
        new MaintenancePlan.Served(kernel, DefaultRota.featuresOf(rota)),
        DaemonBuilder.over(rota).config(),
        new DaemonCounters());
  }

  /** Leads no more. */
  @Override
  public void close() {
    lock.resign();
  }
}
