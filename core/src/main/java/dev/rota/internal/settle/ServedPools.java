package dev.rota.internal.settle;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The pools that the workers of this process serve. They stand in its row of the table of workers
 * for people and checks. A row without them is of a process that serves the default pool, if it has
 * a worker. Thread-safe.
 */
final class ServedPools {

  private static final Sql WRITE_POOLS = Sql.named("write_pools");

  private final Set<String> usual;
  private final List<Set<String>> ofWorkers = new ArrayList<>();
  private Set<String> written = Set.of();

  /** Creates it without workers, given the pools of a worker that was given none. */
  ServedPools(Set<String> usual) {
    this.usual = usual;
  }

  /** Adds the pools of a worker. */
  synchronized void add(Set<String> pools) {
    ofWorkers.add(pools);
  }

  /** Removes the pools of a worker that ended. */
  synchronized void remove(Set<String> pools) {
    ofWorkers.remove(pools);
  }

  /** Records that the process has another row. */
  synchronized void forget() {
    written = Set.of();
  }

  /** Whether the row of the process does not say what holds. */
  synchronized boolean areNews() {
    return !served().equals(written);
  }

  private Set<String> served() {
    Set<String> all = new TreeSet<>();
    ofWorkers.forEach(all::addAll);
    return all.equals(usual) ? Set.of() : all;
  }

  /** Writes the pools into the row of the process, and returns them. */
  synchronized Set<String> write(Session session, RegistryTables tables, long worker)
      throws SQLException {
    Set<String> present = served();
    int unused =
        session.run(
            BoundStatement.update(
                WRITE_POOLS.call(),
                WRITE_POOLS.on("workers", tables.workers()),
                present.toArray(String[]::new),
                worker));
    return present;
  }

  /** Records that these were written, and committed. */
  synchronized void wrote(Set<String> pools) {
    written = pools;
  }
}
