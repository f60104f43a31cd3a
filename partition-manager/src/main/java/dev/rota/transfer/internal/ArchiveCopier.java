package dev.rota.transfer.internal;

import dev.rota.archive.internal.DefaultArchive;
import dev.rota.archive.internal.parquet.Digest;
import dev.rota.history.ArchiveException;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Database;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.TenantRef;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Copies archived files into an export, unchanged. Used once. */
final class ArchiveCopier {

  private static final Sql LOOK_FOR_ARCHIVED_FILE = Sql.named("look_for_archived_file");

  private static final int SEQ = 0;
  private static final int KEY = 3;
  private static final int BYTES = 4;
  private static final int ROWS = 5;
  private static final int SHA256 = 8;

  private final Database database;
  private final RegistryTables tables;
  private final DefaultArchive archive;
  private final ExportFolder folder;
  private final TenantRef tenant;

  ArchiveCopier(
      Database database,
      RegistryTables tables,
      DefaultArchive archive,
      ExportFolder folder,
      TenantRef tenant) {
    this.database = database;
    this.tables = tables;
    this.archive = archive;
    this.folder = folder;
    this.tenant = tenant;
  }

  /** The name of the copy of a segment's file. */
  static String name(long seq) {
    return ExportFolder.ARCHIVE + "/seq=" + seq + ".parquet";
  }

  /**
   * Copies all files that are still kept.
   *
   * @param archived rows with the columns of {@link TableLayout#ARCHIVE}
   * @return the number of their attempts
   */
  long copy(List<@Nullable Object[]> archived) throws IOException, SQLException {
    long attempts = 0;
    try (RowFile kept = RowFile.open(TableLayout.ARCHIVE, folder.work(), archive.memory())) {
      for (@Nullable Object[] row : archived) {
        if (copy(row)) {
          kept.append(row);
          attempts += (Long) row[ROWS];
        }
      }
      folder.write(TableLayout.ARCHIVE.file(), kept.rows(), kept::write);
    }
    return attempts;
  }

  private boolean copy(@Nullable Object[] row) throws IOException, SQLException {
    long seq = (Long) row[SEQ];
    String key = String.valueOf(row[KEY]);
    String sha256 = String.valueOf(row[SHA256]);
    String name = name(seq);
    try {
      boolean there = folder.has(name, sha256);
      folder.write(
          name,
          (Long) row[ROWS],
          file -> {
            if (!there) {
              fetch(row, file);
            }
          });
      return true;
    } catch (NoSuchFileException e) {
      if (isKept(seq)) {
        throw new ArchiveException(
            "cannot export "
                + tenant.label()
                + ": object "
                + key
                + " is no longer in the archive; put it back",
            e);
      }
      return false;
    }
  }

  private void fetch(@Nullable Object[] row, Path file) throws IOException {
    String key = String.valueOf(row[KEY]);
    Path part = folder.work().resolve("fetched.parquet");
    archive.store().fetch(key, part);
    if (!Digest.agrees(part, (Long) row[BYTES], String.valueOf(row[SHA256]))) {
      throw new ArchiveException(
          "cannot export "
              + tenant.label()
              + ": object "
              + key
              + " has changed since it was archived; put it back");
    }
    Files.move(part, file, StandardCopyOption.REPLACE_EXISTING);
  }

  /** Whether the file is still kept. An expired file may be deleted during the export. */
  private boolean isKept(long seq) throws SQLException {
    return !database
        .tryTransaction(
            "look for an archived segment of " + tenant.label(),
            session ->
                session.run(
                    BoundStatement.query(
                        LOOK_FOR_ARCHIVED_FILE.call(),
                        LOOK_FOR_ARCHIVED_FILE.on("archive", tables.archive()),
                        row -> true,
                        tenant.number(),
                        seq)))
        .isEmpty();
  }
}
