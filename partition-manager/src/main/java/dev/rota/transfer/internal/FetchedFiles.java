package dev.rota.transfer.internal;

import dev.rota.archive.internal.DefaultArchive;
import dev.rota.archive.internal.parquet.Digest;
import dev.rota.archive.internal.parquet.DuckDbFile;
import dev.rota.archive.internal.parquet.Staging;
import dev.rota.archive.internal.store.ObjectFile;
import dev.rota.archive.internal.store.SegmentKey;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.IntPredicate;

/**
 * Reads files of the archive, one at a time, each with a separate DuckDB, which a damaged file may
 * break.
 */
final class FetchedFiles {

  private final DefaultArchive archive;
  private final String prefix;

  /** Reads a file. */
  private interface Reading<T> {
    T read(Path file, Path work) throws IOException, UnfitFileException;
  }

  /**
   * Creates the reader of one archive.
   *
   * @param prefix the prefix of the names of temporary files
   */
  FetchedFiles(DefaultArchive archive, String prefix) {
    this.archive = archive;
    this.prefix = prefix;
  }

  /**
   * Reads and compares the whole file.
   *
   * @param expected whether it may be of a tenant of that number
   */
  RestoredFile read(SegmentKey key, IntPredicate expected) throws IOException, UnfitFileException {
    return with(
        key,
        (file, work) -> {
          try (DuckDbFile duck = DuckDbFile.open(work, archive.memory())) {
            return RestoredFile.read(duck, file, key, expected);
          }
        });
  }

  /** The name of the tenant in a file; empty if it cannot be read. */
  Optional<String> tenantName(SegmentKey key) throws IOException {
    try {
      return Optional.of(
          with(
              key,
              (file, work) -> {
                try (DuckDbFile duck = DuckDbFile.open(work, archive.memory())) {
                  return RestoredFile.facts(duck, file).tenantName();
                }
              }));
    } catch (UnfitFileException e) {
      return Optional.empty();
    }
  }

  /** Whether the object still is the one that was recorded. */
  boolean holds(SegmentKey key, long bytes, String sha256) throws IOException, UnfitFileException {
    return with(key, (file, work) -> Digest.agrees(file, bytes, sha256));
  }

  private <T> T with(SegmentKey key, Reading<T> reading) throws IOException, UnfitFileException {
    Path work = Files.createTempDirectory(archive.stagingFolder(), prefix);
    try {
      Path copy = work.resolve("fetched.parquet");
      return reading.read(ObjectFile.read(archive.store(), key.text(), copy), work);
    } catch (NoSuchFileException | FileNotFoundException e) {
      throw new UnfitFileException("it no longer exists");
    } finally {
      Staging.delete(work);
    }
  }
}
