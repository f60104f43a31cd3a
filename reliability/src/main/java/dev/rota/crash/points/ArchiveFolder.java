package dev.rota.crash.points;

import dev.rota.archive.Archive;
import dev.rota.archive.ObjectStore;
import dev.rota.testing.ServerTemplate;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** An archive in a folder, with folders for exports and for copies that the server reads. */
final class ArchiveFolder implements AutoCloseable {

  private final Path root;
  private final Archive archive;
  private final Connection duck;
  private int exports;
  private @Nullable Path export;
  private Path mislaid = Path.of("");

  ArchiveFolder() throws SQLException {
    duck = DriverManager.getConnection("jdbc:duckdb:");
    try {
      root = Files.createTempDirectory("rota-points");
      // The server runs as another user.
      Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwxr-xr-x"));
      for (Path each : List.of(kept(), staging(), copies())) {
        Files.createDirectory(each);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    archive =
        Archive.in(ObjectStore.folder(kept()))
            .stagingFolder(staging())
            .grace(Duration.ZERO)
            .share(1)
            .build();
  }

  Archive archive() {
    return archive;
  }

  Path kept() {
    return root.resolve("kept");
  }

  private Path staging() {
    return root.resolve("staging");
  }

  /** The folder of copies for readers with SQL. */
  Path copies() {
    return root.resolve("copies");
  }

  /** A new path for an export. */
  Path newExport() {
    return root.resolve("export-" + ++exports);
  }

  /** Creates an export. */
  @FunctionalInterface
  interface Exporting {
    Path export() throws SQLException;
  }

  /** Returns one export for all tests that need one, created for the first of them. */
  Path export(Exporting exporting) throws SQLException {
    if (export == null) {
      export = exporting.export();
    }
    return export;
  }

  /** Counts the copies of a tenant. */
  long countCopies(int tenant) throws IOException {
    try (Stream<Path> files = Files.list(copiesOf(tenant))) {
      return files.count();
    }
  }

  private Path copiesOf(int tenant) {
    return copies().resolve("tenant=" + tenant);
  }

  /** The keys of a tenant in the archive, whether the database has them or not. */
  List<String> keys(int tenant) throws IOException {
    return archive.store().list("tenant=" + tenant + "/").stream()
        .map(ObjectStore.StoredObject::key)
        .sorted()
        .toList();
  }

  /** Puts an object that no row of the manifest has. */
  void putStray(String key) throws IOException {
    Path file = Files.createTempFile(root, "stray", "");
    archive.store().put(key, file);
    Files.delete(file);
  }

  /** Moves an object away, until it is put back. */
  void mislay(String key) throws IOException {
    mislaid = kept().resolve(key);
    Files.move(mislaid, root.resolve("mislaid"), StandardCopyOption.REPLACE_EXISTING);
  }

  void putBack() throws IOException {
    Files.move(root.resolve("mislaid"), mislaid);
  }

  /** The payload and state of each attempt in an object, as {@code payload=state}. */
  List<String> attempts(String key) throws SQLException {
    List<String> attempts = new ArrayList<>();
    try (Statement statement = duck.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "select payload || '=' || state from '" + kept().resolve(key) + "'")) {
      while (rows.next()) {
        attempts.add(rows.getString(1));
      }
    }
    return attempts;
  }

  /** Temporary files that a killed process has left. */
  List<Path> unfinished() throws IOException {
    try (Stream<Path> files = Files.list(staging())) {
      return files.toList();
    }
  }

  /** Removes all files of a tenant here. */
  void remove(int tenant) throws IOException {
    for (String key : keys(tenant)) {
      archive.store().delete(key);
    }
    if (Files.exists(copiesOf(tenant))) {
      ServerTemplate.delete(copiesOf(tenant));
    }
  }

  @Override
  public void close() throws SQLException {
    archive.close();
    duck.close();
    try {
      ServerTemplate.delete(root);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
