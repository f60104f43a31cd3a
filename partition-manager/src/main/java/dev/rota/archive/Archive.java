package dev.rota.archive;

import dev.rota.archive.internal.DefaultArchive;
import dev.rota.history.HistoryArchive;
import java.nio.file.Path;
import java.time.Duration;

/**
 * The archive to which segments of history are copied before the database drops them. {@link
 * dev.rota.daemon.RotationDaemon.Builder#archive} makes a daemon write it; {@link
 * dev.rota.Rota.Builder#archive} makes a Rota read history from it. Thread-safe.
 *
 * <p>Each segment becomes one Parquet file with the key {@code
 * tenant=<number>/hour=<yyyy-MM-ddTHH>Z/seq=<number>.parquet}, where the hour is the one in UTC in
 * which the segment was opened. Only one database writes into one store: the first one marks it as
 * its own.
 */
public interface Archive extends HistoryArchive, AutoCloseable {

  /**
   * Builds an archive over a store, which is closed with the archive.
   *
   * @param store the store
   * @return a builder
   */
  static Builder in(ObjectStore store) {
    return DefaultArchive.builder(store);
  }

  /** Configures and builds an archive. Not thread-safe. */
  interface Builder {

    /**
     * Sets the folder in which files are prepared before they are stored; the system's folder for
     * temporary files by default. It needs about three times the size of a segment's text, of one
     * segment at a time.
     *
     * @param folder an existing folder
     * @return this builder
     */
    Builder stagingFolder(Path folder);

    /**
     * Sets how much memory DuckDB may use to sort and compress a segment of any size, outside the
     * Java heap; 256 MiB by default.
     *
     * @param bytes at least 128 MiB
     * @return this builder
     * @throws IllegalArgumentException if out of range
     */
    Builder memory(long bytes);

    /**
     * Sets the part of its time in which the archiver reads from the database, sorts and
     * compresses. The default is 0.1, which is some thousand tasks a second on busy processors. In
     * the rest it leaves database and processor alone. Increase it if the archiver falls behind,
     * see {@code rota status}.
     *
     * @param part 0.01 to 1
     * @return this builder
     * @throws IllegalArgumentException if out of range
     */
    Builder share(double part);

    /**
     * Sets how long after its seal a segment is archived; 10 seconds by default. Claims of
     * processes that have not noticed the seal yet may come that much later.
     *
     * @param pause zero or more
     * @return this builder
     * @throws IllegalArgumentException if negative
     */
    Builder grace(Duration pause);

    /**
     * Builds the archive. It does not touch the store.
     *
     * @return the archive
     * @throws IllegalStateException if the optional dependency {@code org.duckdb:duckdb_jdbc} is
     *     missing
     */
    Archive build();
  }

  /**
   * The store of the files.
   *
   * @return the store
   */
  ObjectStore store();

  /** Closes the store. Idempotent; daemons over it must be closed before. */
  @Override
  void close();
}
