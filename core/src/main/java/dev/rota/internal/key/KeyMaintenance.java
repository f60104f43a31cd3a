package dev.rota.internal.key;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.maintenance.Backoff;
import dev.rota.internal.maintenance.FailureTracker;
import dev.rota.internal.maintenance.LeaderTransactions;
import dev.rota.internal.maintenance.MaintenanceTask;
import dev.rota.internal.schema.DiscoverySql;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.TenantRef;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jooq.Name;

/**
 * Forgets keys whose time is over. A producer that asks for such a key frees it itself, so these
 * are the others. Used by one thread.
 */
public final class KeyMaintenance implements MaintenanceTask {

  private static final Sql SWEEP_KEYS = Sql.named("sweep_keys");

  /** The length of a step, after which the other tasks have a turn. */
  private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  private static final int CHUNK = 1_000;

  private final LeaderTransactions transactions;
  private final Supplier<List<TenantRef>> known;
  private final Name tenants;
  private final Duration interval;
  private final FailureTracker<Integer> failures = new FailureTracker<>("forget old keys of");
  private final Deque<TenantRef> toSweep = new ArrayDeque<>();

  /**
   * For one leadership.
   *
   * @param known the tenants that the leader knows
   * @param tick how often the leader looks for what is due
   */
  public KeyMaintenance(
      LeaderTransactions transactions,
      Supplier<List<TenantRef>> known,
      RegistryTables tables,
      Duration tick) {
    this.transactions = transactions;
    this.known = known;
    this.tenants = tables.tenants();
    // Old keys cost space only: every 15 seconds with the default tick of 250 ms.
    this.interval = tick.multipliedBy(60);
  }

  @Override
  public String name() {
    return "forget old keys";
  }

  @Override
  public Duration run() throws SQLException {
    long startedAt = System.nanoTime();
    if (toSweep.isEmpty()) {
      toSweep.addAll(tenantsWithKeys());
    }
    while (!toSweep.isEmpty()) {
      if (System.nanoTime() - startedAt > STEP_NANOS) {
        return Duration.ZERO;
      }
      sweep(toSweep.remove());
    }
    return Backoff.jittered(interval);
  }

  private List<TenantRef> tenantsWithKeys() throws SQLException {
    List<TenantRef> all = known.get();
    List<Name> names = all.stream().map(tenant -> tenant.tables().keys()).toList();
    List<Long> found =
        transactions.transaction(name(), session -> DiscoverySql.oids(session, names));
    return IntStream.range(0, all.size())
        .filter(i -> found.get(i) != 0)
        .mapToObj(all::get)
        .toList();
  }

  /** Sweeps one tenant; a failure does not stop the others. */
  private void sweep(TenantRef tenant) {
    if (!failures.mayTry(tenant.number())) {
      return;
    }
    int[] swept = {0};
    failures.attempt(tenant.number(), tenant.label(), () -> swept[0] = sweepSome(tenant));
    if (swept[0] == CHUNK) {
      toSweep.addFirst(tenant);
    }
  }

  private int sweepSome(TenantRef tenant) throws SQLException {
    String sql = SWEEP_KEYS.on("keys", tenant.tables().keys(), "tenants", tenants);
    return transactions.transaction(
        "forget old keys of " + tenant.label(),
        session ->
            session.run(BoundStatement.update(SWEEP_KEYS.call(), sql, tenant.number(), CHUNK)));
  }
}
