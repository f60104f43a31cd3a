package dev.rota.history;

/**
 * Where history goes that leaves the database, as far as reading needs it. The one in Rota's own
 * daemon, {@code dev.rota.archive.Archive}, keeps Parquet files in a folder or an object store.
 * Implementations are thread-safe.
 */
public interface HistoryArchive {

  /**
   * Opens a segment.
   *
   * @param segment which one
   * @return its rows, to be closed by the caller
   * @throws ArchiveException if the file is not there, cannot be read, or is not the one that was
   *     written
   */
  ArchivedRows open(ArchivedSegment segment);
}
