package dev.rota.daemon;

import dev.rota.Rota;
import dev.rota.archive.Archive;
import dev.rota.archive.ArchiveStatistics;
import dev.rota.daemon.internal.DaemonBuilder;
import java.time.Duration;

/**
 * Rotates the tables of all tenants, promotes tasks that are due, requeues the tasks of dead
 * workers, and drops expired history. Thread-safe.
 *
 * <p>Any number of daemons may run on one database: one leads, the others wait to take over. A
 * daemon holds one connection while it leads, and recovers by itself when the database goes away.
 */
public interface RotationDaemon extends AutoCloseable {

  /**
   * Builds a daemon over an open {@link Rota}, which the daemon does not close. Closing the Rota
   * closes the daemon.
   *
   * @param rota built by {@link Rota#builder}
   * @return a builder
   */
  static Builder builder(Rota rota) {
    return DaemonBuilder.over(rota);
  }

  /**
   * Starts a daemon with all defaults in this process; {@link #builder} takes settings. Returns at
   * once, and does not need the database.
   *
   * @param rota built by {@link Rota#builder}; closing it closes the daemon first
   * @return the running daemon
   */
  static RotationDaemon start(Rota rota) {
    return builder(rota).start();
  }

  /** Configures and starts a daemon. Not thread-safe. */
  interface Builder {

    /**
     * Sets how often the ring of a tenant is switched while it is used; 1 hour by default. Counted
     * from whole multiples of the period in UTC by the database's clock: an hour means on the hour.
     *
     * @param period 1 second to 7 days
     * @return this builder
     * @throws IllegalArgumentException if out of range
     */
    Builder rotateEvery(Duration period);

    /**
     * Sets how long a tenant is idle before its tables are dropped; 7 days by default. Its next
     * task makes them again. Zero keeps all tables.
     *
     * @param idle zero, or 1 hour to 36,500 days
     * @return this builder
     * @throws IllegalArgumentException if out of range
     */
    Builder parkAfter(Duration idle);

    /**
     * Sets the size of the current slot at which the ring is switched before its time; 256 MiB by
     * default.
     *
     * @param bytes at least 8,192
     * @return this builder
     * @throws IllegalArgumentException if out of range
     */
    Builder slotBytes(long bytes);

    /**
     * Sets the size from which a segment of history is sealed at the next rotation time; 8 MiB by
     * default. Zero seals it at every rotation time, strictly.
     *
     * @param bytes zero or more
     * @return this builder
     * @throws IllegalArgumentException if negative
     */
    Builder segmentBytes(long bytes);

    /**
     * Sets the age at which a smaller segment is sealed; 1 day by default. One that goes to an
     * archive is sealed after 72 periods of the ledger at the latest, 3 days by default: the ledger
     * keeps the times of its batches until it is archived.
     *
     * @param age at least 1 second
     * @return this builder
     * @throws IllegalArgumentException if out of range
     */
    Builder segmentAge(Duration age);

    /**
     * Sets the archive to which segments of history are copied before they are dropped; none by
     * default: they are dropped. It applies to tenants without a choice of their own ({@link
     * dev.rota.history.RetentionPolicy#archive(boolean)}). Give all daemons of a database the same
     * archive. One of them archives, on a separate thread and connection, and a leader without one
     * drops segments that are not archived.
     *
     * @param archive stays open when the daemon is closed
     * @return this builder
     */
    Builder archive(Archive archive);

    /**
     * Sets how long archived segments are kept, counted from when they were sealed in the database;
     * 36,500 days by default.
     *
     * @param age zero to 36,500 days
     * @return this builder
     * @throws IllegalArgumentException if out of range
     */
    Builder keepArchive(Duration age);

    /**
     * Sets how long a sealed segment of history is kept in the database; 7 days by default. With an
     * archive, it is dropped only after it was archived.
     *
     * @param age zero or more
     * @return this builder
     * @throws IllegalArgumentException if negative
     */
    Builder keepHistory(Duration age);

    /**
     * Sets how long a sealed segment of the ledger is kept, and with it the times of claim and end;
     * 1 day by default. It is always kept while a batch in it is open.
     *
     * @param age zero or more
     * @return this builder
     * @throws IllegalArgumentException if negative
     */
    Builder keepLedger(Duration age);

    /**
     * Sets how long {@link dev.rota.history.History#statistics hourly statistics} are kept; 30 days
     * by default.
     *
     * @param age zero or more
     * @return this builder
     * @throws IllegalArgumentException if negative
     */
    Builder keepStatistics(Duration age);

    /**
     * Sets how long the progress of a graph can be read after all its tasks have ended; 1 day by
     * default. Later graphs may depend on its tasks for as long.
     *
     * @param age zero or more
     * @return this builder
     * @throws IllegalArgumentException if negative
     */
    Builder keepGraphs(Duration age);

    /**
     * Sets how often the daemon looks for due tasks and dead workers, and tries to lead; 250 ms by
     * default.
     *
     * @param interval 10 milliseconds to 1 minute
     * @return this builder
     * @throws IllegalArgumentException if out of range
     */
    Builder tick(Duration interval);

    /**
     * Sets the part of its time that the daemon may work on rings, and as much again on opening and
     * dropping segments; 0.25 by default. It rests after each step, so that the hourly work for
     * thousands of tenants is spread over minutes. With 1 it takes no rest.
     *
     * @param part 0.01 to 1
     * @return this builder
     * @throws IllegalArgumentException if out of range
     */
    Builder workShare(double part);

    /**
     * Starts the daemon. Returns at once, and does not need the database: the daemon keeps trying
     * to connect, and logs each failure.
     *
     * @return the running daemon
     */
    RotationDaemon start();
  }

  /**
   * Whether this daemon leads at this moment.
   *
   * @return true while it holds the leader's lock
   */
  boolean isLeading();

  /**
   * The counters of this daemon since it was started.
   *
   * @return a snapshot
   */
  DaemonStatistics statistics();

  /**
   * The archive counters of this daemon since it was started.
   *
   * @return a snapshot; all zero without an archive
   */
  ArchiveStatistics archiveStatistics();

  /** Finishes the current step and stops. Idempotent. */
  @Override
  void close();
}
