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
 * Which workers are dead: those whose heartbeat has not changed for a lease, counted by the clock
 * of this process as long as it looks. A step of the database's clock, a restart of the server and
 * a change of the leader therefore end no lease. Used by one thread.
 */
public final class SilenceWatch {

  private static final Sql FIND_DEAD_WORKERS = Sql.named("find_dead_workers");

  /** Each makes a few statements in one round. */
  private static final int MOST_DEAD = 1_000;

  private final RegistryTables tables;
  private Map<Long, Silence> silences = new HashMap<>();

  /**
   * A worker that is dead.
   *
   * @param worker its number
   * @param heartbeat its last heartbeat, in microseconds; another one means that it lives
   */
  public record Dead(long worker, long heartbeat) {}

  /** A worker as the table has it; times in microseconds. */
  private record Row(long worker, long heartbeat, long lease) {}

  /**
   * For how long a worker was seen to be silent, in nanoseconds, and until when that is counted.
   */
  private record Silence(Row row, long nanos, long countedTo) {

    /**
     * After a pause between two looks, half a lease of it counts at most: what has held up this
     * process may have held up the worker too, and it needs the rest to send a heartbeat.
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

  /** Looks at all workers, and returns the dead, the longest silent first. */
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

  /** All that were there at the last look and are not dead. */
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

  /** Numbers of workers, for a statement. */
  public static long[] workers(List<Dead> dead) {
    return dead.stream().mapToLong(Dead::worker).toArray();
  }

  /** Their last heartbeats, in the same order. */
  public static long[] heartbeats(List<Dead> dead) {
    return dead.stream().mapToLong(Dead::heartbeat).toArray();
  }
}
