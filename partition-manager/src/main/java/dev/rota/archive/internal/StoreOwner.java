package dev.rota.archive.internal;

import dev.rota.history.ArchiveException;
import dev.rota.internal.db.Session;
import dev.rota.internal.schema.RegistryCalls;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.text.SafeText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Optional;

/** The owner of an object store: only one database writes into it, and the store has its number. */
public final class StoreOwner {

  private static final Sql READ_ARCHIVE_OWNER = Sql.named("read_archive_owner");

  private final DefaultArchive archive;
  private final String prefix;

  /**
   * Creates the owner of one store.
   *
   * @param prefix the prefix of the names of temporary files
   */
  public StoreOwner(DefaultArchive archive, String prefix) {
    this.archive = archive;
    this.prefix = prefix;
  }

  /** The number of this database. */
  public static String self(Session session, RegistryTables rota) throws SQLException {
    return session
        .run(new RegistryCalls(rota).query(READ_ARCHIVE_OWNER, row -> row.getString(1)))
        .get(0);
  }

  /**
   * Checks that this database is the one that writes here; the first database becomes the owner.
   *
   * @throws ArchiveException if the store belongs to another database
   */
  public void require(String owner) throws IOException {
    Optional<String> found = find();
    if (found.isEmpty()) {
      take(owner);
      found = find();
    }
    if (!found.equals(Optional.of(owner))) {
      throw new ArchiveException(
          "the archive's "
              + archive.store()
              + " belongs to another database of Rota, "
              + found.orElse("unknown")
              + ", and this one is "
              + owner
              + "; give each database a folder, bucket or prefix of its own");
    }
  }

  /** Returns the database that writes here, if there is one. */
  public Optional<String> find() throws IOException {
    if (archive.store().find(DefaultArchive.OWNER_KEY).isEmpty()) {
      return Optional.empty();
    }
    Path file = temporary(archive, prefix, ".owner", "");
    try {
      archive.store().fetch(DefaultArchive.OWNER_KEY, file);
      // Another program may have written it, and messages show it.
      String said = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
      return Optional.of(SafeText.of(said.strip()));
    } finally {
      Files.deleteIfExists(file);
    }
  }

  /** Makes this database the owner. */
  public void take(String owner) throws IOException {
    Path file = temporary(archive, prefix, ".owner", owner + "\n");
    try {
      archive.store().put(DefaultArchive.OWNER_KEY, file);
    } finally {
      Files.deleteIfExists(file);
    }
  }

  /** Creates a file in the folder for temporary files. */
  public static Path temporary(DefaultArchive archive, String prefix, String suffix, String content)
      throws IOException {
    Path folder = archive.stagingFolder();
    try {
      Path file = Files.createTempFile(folder, prefix, suffix);
      return Files.writeString(file, content);
    } catch (IOException e) {
      throw new IOException(
          "cannot write in the folder for temporary files "
              + folder
              + ": "
              + e.getMessage()
              + "; check its free space and the rights of this process",
          e);
    }
  }
}
