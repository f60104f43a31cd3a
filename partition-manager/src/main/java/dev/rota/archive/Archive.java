package dev.rota.archive;

import dev.rota.archive.internal.ArchiveConfig;
import dev.rota.history.HistoryArchive;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Where segments of history go before they are dropped from the database, and at what pace. Given
 * to a daemon by {@link dev.rota.daemon.RotationDaemon.Builder#archive}, which writes it, and to
 * {@link dev.rota.Rota.Builder#archive}, so that history is read from it. Thread-safe.
 *
 * <p>Each segment becomes one Parquet file with the key {@code
 * tenant=<number>/hour=<yyyy-MM-ddTHH>Z/seq=<number>.parquet}, where the hour is the one in UTC in
 * which the segment was opened. Only one database writes into one place: the first one marks it as
 * its own.
 */
public interface Archive extends HistoryArchive, AutoCloseable {

  /**
   * Over a store, which is closed with the archive.
   *
   * @param store where to
   * @return a builder
   */
  static Builder in(ObjectStore store) {
    return ArchiveConfig.builder(store);
  }

  /** How to build an archive. Not thread-safe. */
  interface Builder {

    /**
     * Where files are put together before they are stored; the folder of the system for temporary
     * files by default. It needs about three times the size of a segment's text, of one segment at
     * a time.
     *
     * @param folder an existing folder
     * @return this builder
     */
    Builder stagingFolder(Path folder);

    /**
     * How much memory DuckDB may use to sort and compress a segment of any size, outside the heap
     * of Java; 256 MiB by default.
     *
     * @param bytes at least 128 MiB
     * @return this builder
     * @throws IllegalArgumentException if out of range
     */
    Builder memory(long bytes);

    /**
     * How much of its time the archiver reads from the database, sorts and compresses; 0.1 by
     * default, which is some thousand tasks a second on busy processors. In the rest it leaves
     * database and processor alone. Give it more if it falls behind, see {@code rota status}.
     *
     * @param part 0.01 to 1
     * @return this builder
     * @throws IllegalArgumentException if out of range
     */
    Builder share(double part);

    /**
     * How long after a segment was sealed it is archived; 10 seconds by default. Claims of
     * processes that have not heard yet that it is sealed may come that much later.
     *
     * @param pause zero or more
     * @return this builder
     * @throws IllegalArgumentException if negative
     */
    Builder grace(Duration pause);

    /**
     * Makes the archive. It does not touch the store.
     *
     * @return the archive
     * @throws IllegalStateException if the optional dependency {@code org.duckdb:duckdb_jdbc} is
     *     missing
     */
    Archive build();
  }

  /**
   * Where the files are.
   *
   * @return the store
   */
  ObjectStore store();

  /** Closes the store. Idempotent; daemons over it must be closed before. */
  @Override
  void close();
}
