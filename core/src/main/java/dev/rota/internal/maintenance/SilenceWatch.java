package dev.rota.internal.maintenance;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Detects dead workers: those whose heartbeat has not changed for a lease, measured by the clock of
 * this process as long as it polls. A step of the database's clock, a restart of the server and a
 * change of the leader therefore end no lease. Used by one thread.
 */
public final class SilenceWatch {

  private static final Sql FIND_DEAD_WORKERS = Sql.named("find_dead_workers");

  /** The most dead workers in one round; each takes a few statements. */
  private static final int MOST_DEAD = 1_000;

  private final RegistryTables tables;
  private Map<Long, Silence> silences = new HashMap<>();

  /**
   * A dead worker.
   *
   * @param worker its number
   * @param heartbeat its last heartbeat, in microseconds; another one means that it is alive
   */
  public record Dead(long worker, long heartbeat) {}

  /** A row of the table of workers; times in microseconds. */
  private record Row(long worker, long heartbeat, long lease) {}

  /**
   * How long a worker has been silent, in nanoseconds, and the time up to which that is counted.
   */
  private record Silence(Row row, long nanos, long countedTo) {

    /**
     * Adds the time since the last poll, at most half a lease. A delay of this process may have
     * delayed the worker too, and it needs the rest to send a heartbeat.
     */
    Silence until(long now) {
      long pause = Math.max(0, Math.min(now - countedTo, row.lease * 1_000 / 2));
      return new Silence(row, nanos + pause, now);
    }

    boolean isDeath() {
      return nanos >= row.lease * 1_000;
    }
  }

  public SilenceWatch(RegistryTables tables) {
    this.tables = tables;
  }

  /** Reads all workers, and returns the dead, the longest silent first. */
  public List<Dead> look(Session session) throws SQLException {
    long asked = System.nanoTime();
    List<Row> rows =
        session.run(
            BoundStatement.query(
                FIND_DEAD_WORKERS.call(),
                FIND_DEAD_WORKERS.on("workers", tables.workers()),
                row -> new Row(row.getLong(1), row.getLong(2), row.getLong(3))));
    follow(rows, asked, System.nanoTime());
    return silences.values().stream()
        .filter(Silence::isDeath)
        .sorted(Comparator.comparingLong(Silence::nanos).reversed())
        .limit(MOST_DEAD)
        .map(silence -> new Dead(silence.row.worker, silence.row.heartbeat))
        .toList();
  }

  /** The workers of the last poll that are not dead. */
  public List<Long> living() {
    List<Long> living = new ArrayList<>();
    silences.forEach(
        (worker, silence) -> {
          if (!silence.isDeath()) {
            living.add(worker);
          }
        });
    return living;
  }

  private void follow(List<Row> rows, long asked, long answered) {
    Map<Long, Silence> present = new HashMap<>();
    for (Row row : rows) {
      Silence known = silences.get(row.worker);
      present.put(
          row.worker,
          known != null && known.row.equals(row)
              ? known.until(asked)
              : new Silence(row, 0, answered));
    }
    silences = present;
  }

  /** The numbers of workers, as a bind. */
  public static long[] workers(List<Dead> dead) {
    return dead.stream().mapToLong(Dead::worker).toArray();
  }

  /** Their last heartbeats, in the same order. */
  public static long[] heartbeats(List<Dead> dead) {
    return dead.stream().mapToLong(Dead::heartbeat).toArray();
  }
}
