package dev.rota.internal.settle;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.settle.ProcessLease.Service;
import dev.rota.internal.sql.Sql;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Which tenants the workers of this process serve. It stands in the row of the process in the table
 * of workers, for checks and for workers with shards. A row that says nothing is of a process that
 * serves the default pool, if it has a worker. Thread-safe.
 */
final class WorkerServices {

  private static final Sql WRITE_POOLS = Sql.named("write_pools");

  private final Service usual;
  private final List<Service> ofWorkers = new ArrayList<>();
  private Service written;

  /** Creates it without workers, given the pool of a worker that was given none. */
  WorkerServices(String usualPool) {
    this.usual = new Service(Set.of(usualPool), 0);
    this.written = usual;
  }

  /** Adds a worker. */
  synchronized void add(Service service) {
    ofWorkers.add(service);
  }

  /** Removes a worker that ended. */
  synchronized void remove(Service service) {
    ofWorkers.remove(service);
  }

  /** Records that the process has another row. */
  synchronized void forget() {
    written = usual;
  }

  /** Whether the row of the process does not say what holds. */
  synchronized boolean areNews() {
    return !together().equals(written);
  }

  private Service together() {
    Set<String> pools = new TreeSet<>();
    int shards = 0;
    for (Service service : ofWorkers) {
      pools.addAll(service.pools());
      shards = Math.max(shards, service.shards());
    }
    return new Service(pools.isEmpty() ? usual.pools() : pools, shards);
  }

  /** Writes into the row of the process what holds, and returns it. */
  synchronized Service write(Session session, RegistryTables tables, long worker)
      throws SQLException {
    Service present = together();
    Set<String> pools = present.pools().equals(usual.pools()) ? Set.of() : present.pools();
    int unused =
        session.run(
            BoundStatement.update(
                WRITE_POOLS.call(),
                WRITE_POOLS.on("workers", tables.workers()),
                pools.toArray(String[]::new),
                present.shards(),
                worker));
    return present;
  }

  /** Records that this was written, and committed. */
  synchronized void wrote(Service service) {
    written = service;
  }
}
