package dev.rota.erasure.internal;

import dev.rota.archive.Archive;
import dev.rota.archive.ObjectStore;
import dev.rota.archive.internal.DefaultArchive;
import dev.rota.archive.internal.StoreOwner;
import dev.rota.archive.internal.store.SegmentKey;
import dev.rota.erasure.ErasureRefusedException;
import dev.rota.history.ArchiveException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Finds and deletes the objects of a tenant in the archive. Used by one thread. */
final class ErasedObjects {

  private final @Nullable Archive archive;
  private final Erasure erasure;
  private final ErasureTarget target;
  private final ErasureJournal journal;

  /** Work on the store. */
  private interface Step<T> {
    T run(ObjectStore store) throws IOException;
  }

  ErasedObjects(
      @Nullable Archive archive, Erasure erasure, ErasureTarget target, ErasureJournal journal) {
    this.archive = archive;
    this.erasure = erasure;
    this.target = target;
    this.journal = journal;
  }

  /** Checks the owner of the archive, because tenants of other databases have the same numbers. */
  void requireOwner() {
    if (archive == null) {
      return;
    }
    String owner = erasure.inTransactionGiving(target, journal::owner);
    StoreOwner store = new StoreOwner(DefaultArchive.of(archive), "rota-erase-");
    Optional<String> found = on(archive, unused -> store.find());
    if (!found.equals(Optional.of(owner))) {
      throw new ErasureRefusedException(
          "the archive's "
              + archive.store()
              + found.map(other -> " belongs to database " + other).orElse(" was never used")
              + ", and this database is "
              + owner
              + "; say where the archive of this one is. Nothing of "
              + target.label()
              + " was erased");
    }
  }

  /** Deletes all objects of the tenant, including unknown ones. */
  void delete() {
    if (archive == null) {
      requireNone();
      return;
    }
    requireOwner();
    deleteNoted(archive);
    List<ObjectStore.StoredObject> others =
        on(archive, store -> store.list(SegmentKey.prefix(target.number())));
    if (!others.isEmpty()) {
      erasure.inTransaction(
          target,
          session -> {
            for (ObjectStore.StoredObject other : others) {
              journal.noteObject(session, target, other.key(), other.bytes());
            }
          });
      deleteNoted(archive);
    }
    erasure.inTransaction(target, session -> journal.forgetArchived(session, target));
    forgetBegun(archive);
  }

  /** Refuses to complete an erasure without an archive if it was begun with one. */
  private void requireNone() {
    List<String> left =
        erasure.inTransactionGiving(target, session -> journal.objects(session, target));
    if (!left.isEmpty()) {
      throw new ArchiveException(
          target.label()
              + " is erased but for "
              + left.size()
              + " files in the archive; say where that is, and erase again");
    }
  }

  private void deleteNoted(Archive from) {
    for (String key :
        erasure.inTransactionGiving(target, session -> journal.objects(session, target))) {
      boolean unused = on(from, store -> delete(store, key));
      erasure.inTransaction(target, session -> journal.removed(session, target, key));
    }
  }

  private static boolean delete(ObjectStore store, String key) throws IOException {
    store.delete(key);
    return true;
  }

  /**
   * Removes the rows of unfinished objects, except while an archiver is active. It may put an
   * object after it was deleted here; by the row it deletes the object at its next pass.
   */
  private void forgetBegun(Archive from) {
    erasure.inTransaction(
        target,
        session -> {
          List<String> keys = journal.begun(session, target);
          if (!keys.isEmpty() && journal.lockOutArchivers(session, erasure.archiversNamespace())) {
            for (String key : keys) {
              boolean unused = on(from, store -> delete(store, key));
            }
            journal.forgetBegun(session, target);
          }
        });
  }

  private <T> T on(Archive of, Step<T> step) {
    try {
      return step.run(of.store());
    } catch (IOException | UncheckedIOException e) {
      throw new ArchiveException(
          "cannot erase " + target.label() + " from the archive: " + e.getMessage(), e);
    }
  }
}
