package dev.rota.archive.internal;

import dev.rota.archive.internal.parquet.Digest;
import dev.rota.archive.internal.parquet.DuckDbFile;
import dev.rota.archive.internal.parquet.Staging;
import dev.rota.archive.internal.store.ObjectFile;
import dev.rota.history.ArchiveException;
import dev.rota.history.ArchivedRows;
import dev.rota.history.ArchivedSegment;
import dev.rota.internal.log.Logs;
import dev.rota.internal.schema.HistoryColumn;
import dev.rota.internal.schema.HistoryColumns;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.sql.Connection;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** The rows of an open archive file, checked against its digest. Used by one thread. */
final class ParquetRows implements ArchivedRows {

  private static final Logger log = Logs.of(ParquetRows.class);

  private static final String VIEW =
      "create view "
          + TABLE
          + " as select "
          + HistoryColumns.joined(HistoryColumns.OF_VIEW, ParquetRows::selected)
          + " from %s";

  private final Path folder;
  private final DuckDbFile duck;

  /** The name of a file tells its segment. A payload may have a line of headers before it. */
  private static String selected(HistoryColumn column) {
    return switch (column.name()) {
      case "segment" -> "%d as segment";
      case "payload" ->
          "case when starts_with(payload, chr(1))"
              + " then substr(payload, strpos(payload, chr(10)) + 1) else payload end as payload";
      case "headers" ->
          "case when starts_with(payload, chr(1)) and strpos(payload, chr(10)) > 0"
              + " then substr(payload, 2, strpos(payload, chr(10)) - 2) end as headers";
      default -> column.name();
    };
  }

  private ParquetRows(Path folder, DuckDbFile duck) {
    this.folder = folder;
    this.duck = duck;
  }

  static ParquetRows open(DefaultArchive archive, ArchivedSegment segment) {
    try {
      Path folder = Files.createTempDirectory(archive.stagingFolder(), "rota-history-");
      try {
        return open(archive, segment, folder);
      } catch (IOException | RuntimeException e) {
        Staging.delete(folder);
        throw e;
      }
    } catch (IOException e) {
      throw trouble(segment, String.valueOf(e.getMessage()), e);
    }
  }

  private static ParquetRows open(DefaultArchive archive, ArchivedSegment segment, Path folder)
      throws IOException {
    Path file = fetch(archive, segment, folder.resolve("fetched.parquet"));
    if (!Digest.agrees(file, segment.bytes(), segment.sha256())) {
      throw trouble(segment, "its content has changed since it was archived", null);
    }
    DuckDbFile duck = DuckDbFile.open(folder, archive.memory());
    try {
      duck.execute(VIEW.formatted(segment.seq(), DuckDbFile.parquet(file)));
      return new ParquetRows(folder, duck);
    } catch (IOException | RuntimeException e) {
      duck.close();
      throw e;
    }
  }

  private static Path fetch(DefaultArchive archive, ArchivedSegment segment, Path copy)
      throws IOException {
    try {
      return ObjectFile.read(archive.store(), segment.key(), copy);
    } catch (NoSuchFileException e) {
      throw trouble(segment, "it is no longer in the archive's " + archive.store(), e);
    }
  }

  private static ArchiveException trouble(
      ArchivedSegment segment, String reason, @Nullable Exception cause) {
    String message =
        "cannot read segment "
            + segment.seq()
            + " of tenant "
            + segment.tenant()
            + " from the archive, object "
            + segment.key()
            + ": "
            + reason;
    return cause == null ? new ArchiveException(message) : new ArchiveException(message, cause);
  }

  @Override
  public Connection connection() {
    return duck.connection();
  }

  @Override
  public void close() {
    try {
      duck.close();
      Staging.delete(folder);
    } catch (IOException e) {
      log.warn("a file fetched from the archive stays in {}: {}", folder, e.getMessage());
    }
  }
}
