package dev.rota.archive.internal;

import dev.rota.archive.internal.parquet.Digest;
import dev.rota.archive.internal.parquet.FileSeal;
import dev.rota.archive.internal.parquet.SegmentFacts;
import dev.rota.archive.internal.parquet.Staging;
import dev.rota.daemon.internal.retention.SegmentId;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The object that the next archiving of a segment replaces. It may have workers and times of
 * batches that the ledger no longer has. So it is replaced without them only if it is certain that
 * it is not the archived object.
 */
final class ReplacedObject {

  private final OwnedStore store;
  private final SegmentId segment;
  private final ArchiveManifest.Begun begun;

  ReplacedObject(OwnedStore store, SegmentId segment, ArchiveManifest.Begun begun) {
    this.store = store;
    this.segment = segment;
    this.begun = begun;
  }

  /**
   * Adds the values that the ledger no longer has.
   *
   * @return the values lost for good, with the reason; empty if none is lost
   * @throws IOException if this is uncertain for now; no object may be put then
   */
  Optional<String> complete(Staging staging) throws IOException {
    if (!begun.again()) {
      return Optional.empty();
    }
    Optional<Path> found = store.read(begun.key(), staging.file("older.parquet"));
    if (found.isPresent() && isRight(staging, found.get())) {
      completeFrom(staging, found.get());
      return Optional.empty();
    }
    return lost(staging, found.isPresent());
  }

  private static void completeFrom(Staging staging, Path older) throws IOException {
    try {
      staging.completeFrom(older);
    } catch (IOException e) {
      throw new IOException(
          "the times in the existing object cannot be taken from it, and it is not"
              + " replaced without them: "
              + e.getMessage(),
          e);
    }
  }

  /**
   * Whether the file is right, by the manifest, or by its own digest. An archiver may have been
   * killed after it put the file and before it recorded that.
   */
  private boolean isRight(Staging staging, Path file) throws IOException {
    if (begun.sha256().equals(Optional.of(Digest.of(file)))) {
      return true;
    }
    return FileSeal.of(file).finding() == FileSeal.Finding.WHOLE
        && SegmentFacts.read(staging.duck(), file)
            .filter(facts -> facts.tenant() == segment.tenant() && facts.segment() == segment.seq())
            .isPresent();
  }

  /** The lost values; none if the object was never complete, or if the ledger still has all. */
  private Optional<String> lost(Staging staging, boolean changed) throws IOException {
    long attempts = begun.sha256().isEmpty() ? 0 : staging.withoutClaim();
    if (attempts == 0) {
      return Optional.empty();
    }
    return Optional.of(
        "it was archived again without worker and times of "
            + attempts
            + " attempts, which the ledger no longer has, since the object that had them "
            + (changed ? "was changed after it was archived" : "was no longer in the archive"));
  }
}
