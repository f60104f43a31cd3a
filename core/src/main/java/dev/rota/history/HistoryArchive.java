package dev.rota.history;

/**
 * Opens segments of history that were moved from the database to an archive. The implementation in
 * Rota's daemon, {@code dev.rota.archive.Archive}, keeps Parquet files in a folder or an object
 * store. Implementations are thread-safe.
 */
public interface HistoryArchive {

  /**
   * Opens a segment.
   *
   * @param segment the segment
   * @return its rows, to be closed by the caller
   * @throws ArchiveException if the file is missing, cannot be read, or is not the one that was
   *     written
   */
  ArchivedRows open(ArchivedSegment segment);
}
