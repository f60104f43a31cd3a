package dev.rota.daemon.internal.maintenance;

import dev.rota.daemon.internal.leader.Backoff;
import dev.rota.daemon.internal.leader.DaemonConfig;
import dev.rota.daemon.internal.leader.FailureTracker;
import dev.rota.daemon.internal.leader.LeaderSession;
import dev.rota.daemon.internal.leader.MaintenanceTask;
import dev.rota.daemon.internal.leader.TenantCatalog;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.TenantRef;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jooq.Name;

/**
 * Forgets keys whose time is over and that nobody asks for again: those that are, free themselves.
 * Used by one thread.
 */
public final class KeyMaintenance implements MaintenanceTask {

  private static final Sql SWEEP_KEYS = Sql.named("sweep_keys");

  /** After so long the other duties have a turn. */
  private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  private static final int CHUNK = 1_000;

  private final LeaderSession mandate;
  private final TenantCatalog book;
  private final Name tenants;
  private final long interval;
  private final FailureTracker<Integer> troubles = new FailureTracker<>("forget old keys of");
  private final Deque<TenantRef> toSweep = new ArrayDeque<>();

  public KeyMaintenance(
      LeaderSession mandate, TenantCatalog book, RegistryTables tables, DaemonConfig settings) {
    this.mandate = mandate;
    this.book = book;
    this.tenants = tables.tenants();
    // Nothing hangs on it but space: once a minute with the usual tick of a second.
    this.interval = settings.tick().toNanos() * 60;
  }

  @Override
  public String name() {
    return "forget old keys";
  }

  @Override
  public long perform() throws SQLException {
    long startedAt = System.nanoTime();
    if (toSweep.isEmpty()) {
      toSweep.addAll(tenantsWithKeys());
    }
    while (!toSweep.isEmpty()) {
      if (System.nanoTime() - startedAt > STEP_NANOS) {
        return 0;
      }
      sweep(toSweep.remove());
    }
    return Backoff.jittered(interval);
  }

  private List<TenantRef> tenantsWithKeys() throws SQLException {
    Collection<TenantCatalog.Entry> all = book.all();
    List<Name> names = all.stream().map(entry -> entry.tenant().tables().keys()).toList();
    List<Long> found = mandate.transaction(name(), session -> TenantCatalog.oids(session, names));
    List<TenantRef> tenants = new ArrayList<>();
    int place = 0;
    for (TenantCatalog.Entry entry : all) {
      if (found.get(place++) != 0) {
        tenants.add(entry.tenant());
      }
    }
    return tenants;
  }

  /** One tenant's trouble must not hold up the others. */
  private void sweep(TenantRef tenant) {
    if (!troubles.mayTry(tenant.number())) {
      return;
    }
    int[] swept = {0};
    troubles.attempt(tenant.number(), tenant.label(), () -> swept[0] = sweepSome(tenant));
    if (swept[0] == CHUNK) {
      toSweep.addFirst(tenant);
    }
  }

  private int sweepSome(TenantRef tenant) throws SQLException {
    String sql = SWEEP_KEYS.on("keys", tenant.tables().keys(), "tenants", tenants);
    return mandate.transaction(
        "forget old keys of " + tenant.label(),
        session ->
            session.run(BoundStatement.update(SWEEP_KEYS.call(), sql, tenant.number(), CHUNK)));
  }
}
