package dev.rota.archive.internal;

import dev.rota.archive.ObjectStore;
import dev.rota.archive.internal.parquet.Digest;
import dev.rota.archive.internal.parquet.Staging;
import dev.rota.archive.internal.store.ObjectFile;
import dev.rota.daemon.internal.leader.LeaderSession;
import dev.rota.history.ArchiveException;
import dev.rota.internal.schema.RegistryTables;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The store as the archiver uses it, with checks of ownership and of stored objects. Used by one
 * thread.
 */
final class OwnedStore {

  private static final String ADVICE =
      "; nothing was dropped. Put it back, or archive it again from the database by setting"
          + " archived_at to null in its row of the table archive";

  /** The age of a half upload that is discarded. An import may put objects beside the archiver. */
  private static final Duration LEFT = Duration.ofDays(1);

  private final LeaderSession leader;
  private final RegistryTables rota;
  private final DefaultArchive archive;
  private String stagingPrefix = "";
  private @Nullable Long discardedAt;

  OwnedStore(LeaderSession leader, RegistryTables rota, DefaultArchive archive) {
    this.leader = leader;
    this.rota = rota;
    this.archive = archive;
  }

  ObjectStore store() {
    return archive.store();
  }

  /** Creates a folder in which to prepare a file. */
  Staging staging() throws IOException {
    return Staging.open(archive.stagingFolder(), stagingPrefix, archive.memory());
  }

  /**
   * Checks that this database is the one that writes here, and removes the remains of killed
   * archivers and imports. Once, until {@link #letGo}.
   */
  void take() throws IOException, SQLException {
    if (stagingPrefix.isEmpty()) {
      String owner =
          leader.transaction(
              "read the owner of the archive", session -> StoreOwner.self(session, rota));
      String prefix = "rota-archive-" + owner + "-";
      Staging.discard(archive.stagingFolder(), prefix);
      new StoreOwner(archive, prefix).require(owner);
      discardHalfUploads();
      stagingPrefix = prefix;
    }
  }

  /** Discards half uploads, once a day: a folder is walked through for that. */
  private void discardHalfUploads() throws IOException {
    Long last = discardedAt;
    long now = System.nanoTime();
    if (last == null || now - last > LEFT.toNanos()) {
      int unused = store().discardHalfUploads(LEFT);
      discardedAt = now;
    }
  }

  /** Repeats the check at the next use: the address may lead to another store by then. */
  void letGo() {
    stagingPrefix = "";
  }

  /** Returns the object as a file: itself, or a copy at that path. */
  Optional<Path> read(String key, Path copy) throws IOException {
    try {
      return Optional.of(ObjectFile.read(store(), key, copy));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  /**
   * Reads an object again, and compares it.
   *
   * @throws ArchiveException if it is not the archived object
   */
  void check(ArchiveManifest.Entry entry) throws IOException {
    Path copy = StoreOwner.temporary(archive, stagingPrefix, ".check", "");
    try {
      Path file =
          read(entry.key(), copy)
              .orElseThrow(() -> new ArchiveException("it is no longer in the archive" + ADVICE));
      if (!Digest.agrees(file, entry.bytes(), entry.sha256())) {
        throw new ArchiveException(
            "its content has changed: it has "
                + Files.size(file)
                + " bytes and another checksum than when it was archived, with "
                + entry.bytes()
                + " bytes"
                + ADVICE);
      }
    } finally {
      Files.deleteIfExists(copy);
    }
  }
}
