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
import org.jspecify.annotations.Nullable;

/**
 * What the workers of this process do: which tenants they serve, and which kinds. It stands in the
 * row of the process in the table of workers, for checks, for people, and for workers with shards.
 * A row that says nothing of tenants is of a process that serves the default pool, if it has a
 * worker. Thread-safe.
 */
final class WorkerServices {

  private static final Sql WRITE_SERVICES = Sql.named("write_services");

  /** The most kinds that stand in a row, which each heartbeat writes anew. */
  private static final int MOST_KINDS = 200;

  private final Set<String> usualPools;
  private final List<Service> ofWorkers = new ArrayList<>();
  private Row written;

  /**
   * What the row of a process says.
   *
   * @param pools the pools of tenants
   * @param shards how many workers visit a tenant; 0 for all
   * @param kinds the kinds with a handler; null if they are not told
   * @param left the kinds whose tasks were left pending
   */
  record Row(Set<String> pools, int shards, @Nullable Set<String> kinds, Set<String> left) {}

  /** Creates it without workers, given the pool of a worker that was given none. */
  WorkerServices(String usualPool) {
    this.usualPools = Set.of(usualPool);
    this.written = newRow(null);
  }

  private Row newRow(@Nullable Set<String> kinds) {
    return new Row(usualPools, 0, kinds, Set.of());
  }

  /** Adds a worker. */
  synchronized void add(Service service) {
    ofWorkers.add(service);
  }

  /** Removes a worker that ended. */
  synchronized void remove(Service service) {
    ofWorkers.remove(service);
  }

  /** The kinds that a new row has to say; null if they are not told. */
  synchronized @Nullable Set<String> kinds() {
    return together().kinds;
  }

  /** Records that the process has a new row, with these kinds. */
  synchronized void registered(@Nullable Set<String> kinds) {
    written = newRow(kinds);
  }

  /** Whether the row of the process does not say what holds. */
  synchronized boolean areNews() {
    return !together().equals(written);
  }

  /** Whether the row does not say which tenants the process serves. */
  synchronized boolean areUrgent() {
    Row present = together();
    return !present.pools.equals(written.pools) || present.shards != written.shards;
  }

  private Row together() {
    Set<String> pools = new TreeSet<>();
    Set<String> kinds = new TreeSet<>();
    Set<String> left = new TreeSet<>();
    int shards = 0;
    for (Service service : ofWorkers) {
      pools.addAll(service.pools());
      kinds.addAll(service.kinds());
      left.addAll(service.left().lately());
      shards = Math.max(shards, service.shards());
    }
    left.removeAll(kinds);
    boolean told = !kinds.isEmpty() && kinds.size() <= MOST_KINDS;
    return new Row(pools.isEmpty() ? usualPools : pools, shards, told ? kinds : null, left);
  }

  /** Writes into the row of the process what holds, and returns it. */
  synchronized Row write(Session session, RegistryTables tables, long worker) throws SQLException {
    Row present = together();
    Set<String> pools = present.pools.equals(usualPools) ? Set.of() : present.pools;
    int unused =
        session.run(
            BoundStatement.update(
                WRITE_SERVICES.call(),
                WRITE_SERVICES.on("workers", tables.workers()),
                pools.toArray(String[]::new),
                present.shards,
                array(present.kinds),
                present.left.toArray(String[]::new),
                worker));
    return present;
  }

  /** Kinds as a value of a statement. */
  static String @Nullable [] array(@Nullable Set<String> kinds) {
    return kinds == null ? null : kinds.toArray(String[]::new);
  }

  /** Records that this was written, and committed. */
  synchronized void wrote(Row row) {
    written = row;
  }
}
