package dev.rota.transfer.internal;

import dev.rota.archive.ObjectStore;
import dev.rota.archive.internal.DefaultArchive;
import dev.rota.archive.internal.StoreOwner;
import dev.rota.archive.internal.parquet.Digest;
import dev.rota.history.ArchiveException;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Database;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;

/** Puts the archived files of an export into the archive of another database. Used once. */
final class ObjectPutter {

  private static final Sql LIST_ARCHIVED_FILES = Sql.named("list_archived_files");

  private static final String PREFIX = "rota-import-";

  private final Database database;
  private final RegistryTables tables;
  private final DefaultArchive archive;
  private final ExportFolder folder;
  private final FileObserver observer;

  ObjectPutter(
      Database database,
      RegistryTables tables,
      DefaultArchive archive,
      ExportFolder folder,
      FileObserver observer) {
    this.database = database;
    this.tables = tables;
    this.archive = archive;
    this.folder = folder;
    this.observer = observer;
  }

  /** An object that the manifest of the archive names. */
  private record Noted(long seq, String key, String sha256) {}

  /** Puts the objects that do not exist yet. */
  void put(ExportManifest manifest, int number) throws IOException, SQLException {
    if (manifest.filesIn(ExportFolder.ARCHIVE).isEmpty()) {
      return;
    }
    new StoreOwner(archive, PREFIX).require(owner());
    for (Noted object : noted(number)) {
      observer.before("put object");
      put(object);
      observer.after("put object");
    }
  }

  private void put(Noted object) throws IOException {
    Path file = folder.path(ArchiveCopier.name(object.seq()));
    ObjectStore store = archive.store();
    boolean there =
        store.find(object.key()).filter(found -> found.bytes() == size(file)).isPresent()
            && holds(object);
    if (!there) {
      store.put(object.key(), file);
      if (!holds(object)) {
        throw new ArchiveException(
            "object "
                + object.key()
                + " was read back and differs; nothing was imported. Repeat it");
      }
    }
  }

  private static long size(Path file) {
    return file.toFile().length();
  }

  private boolean holds(Noted object) throws IOException {
    Path copy = StoreOwner.temporary(archive, PREFIX, ".check", "");
    try {
      archive.store().fetch(object.key(), copy);
      return Digest.of(copy).equals(object.sha256());
    } finally {
      Files.deleteIfExists(copy);
    }
  }

  private String owner() throws SQLException {
    return database.tryTransaction(
        "read the owner of the archive", session -> StoreOwner.self(session, tables));
  }

  private List<Noted> noted(int number) throws SQLException {
    return database.tryTransaction(
        "list the archived files to put",
        session ->
            session.run(
                BoundStatement.query(
                    LIST_ARCHIVED_FILES.call(),
                    LIST_ARCHIVED_FILES.on("archive", tables.archive()),
                    row -> new Noted(row.getLong(1), row.getString(2), row.getString(3)),
                    number)));
  }
}
