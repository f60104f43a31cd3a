package dev.rota.transfer.internal;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.rota.archive.internal.parquet.Digest;
import dev.rota.archive.internal.parquet.Staging;
import dev.rota.internal.text.SafeText;
import dev.rota.transfer.TransferException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The folder of an export. It is an export once it holds a manifest; until then a mark shows that
 * it is unfinished, and that its files may be deleted. Used by one thread.
 */
final class ExportFolder {

  static final String ARCHIVE = "archive";
  static final String HISTORY = "history";

  private static final String MANIFEST = "manifest.json";
  private static final String MARK = "export.unfinished";
  private static final String WORK = "work";

  private static final ObjectMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES).build();

  private final Path folder;
  private final FileObserver observer;
  private final List<ExportManifest.FileFacts> files = new ArrayList<>();

  ExportFolder(Path folder, FileObserver observer) {
    this.folder = folder.toAbsolutePath().normalize();
    this.observer = observer;
  }

  /** An operation on a file. */
  interface Action {
    void run(Path file) throws IOException;
  }

  /** Begins the export, or begins it again. */
  void begin() throws IOException {
    if (Files.exists(folder.resolve(MANIFEST))) {
      throw new TransferException(
          folder + " holds an export already; choose another folder, or remove it");
    }
    Files.createDirectories(folder);
    if (Files.notExists(folder.resolve(MARK))) {
      requireEmpty();
      observed(
          "mark", () -> Files.writeString(folder.resolve(MARK), "Not an export before it ends.\n"));
    }
    observed("clean", this::clean);
    Files.createDirectories(work());
    Files.createDirectories(folder.resolve(HISTORY));
    Files.createDirectories(folder.resolve(ARCHIVE));
  }

  /** The folder for temporary files; removed at the end. */
  Path work() {
    return folder.resolve(WORK);
  }

  Path path(String name) {
    return folder.resolve(name);
  }

  /** Writes one file of the export. */
  void write(String name, long rows, Action writing) throws IOException {
    Path file = path(name);
    observed(
        "write " + kindOf(name),
        () -> {
          writing.run(file);
          force(file);
        });
    files.add(new ExportManifest.FileFacts(name, rows, Files.size(file), Digest.of(file)));
  }

  /** Whether a file with this digest already exists. */
  boolean has(String name, String sha256) throws IOException {
    return Files.isRegularFile(path(name)) && Digest.of(path(name)).equals(sha256);
  }

  List<ExportManifest.FileFacts> files() {
    return List.copyOf(files);
  }

  /** Completes the export. */
  void finish(ExportManifest manifest) throws IOException {
    observed("tidy up", this::tidyUp);
    observed(
        "write manifest",
        () -> {
          Path part = path(MANIFEST + ".part");
          JSON.writerWithDefaultPrettyPrinter().writeValue(part.toFile(), manifest);
          force(part);
          force(folder.resolve(HISTORY));
          force(folder.resolve(ARCHIVE));
          force(folder);
          Files.move(part, path(MANIFEST), StandardCopyOption.ATOMIC_MOVE);
          force(folder);
        });
    observed("unmark", () -> Files.deleteIfExists(folder.resolve(MARK)));
  }

  /** Reads the manifest, and compares every file with it. */
  ExportManifest verified() throws IOException {
    ExportManifest manifest = manifest();
    for (ExportManifest.FileFacts file : manifest.files()) {
      observed("check " + kindOf(file.path()), () -> check(file));
    }
    return manifest;
  }

  ExportManifest manifest() throws IOException {
    Path file = path(MANIFEST);
    if (!Files.isRegularFile(file)) {
      throw new TransferException(
          folder
              + " is no export, since it has no "
              + MANIFEST
              + (Files.exists(folder.resolve(MARK))
                  ? ": the export into it did not come to its end; repeat it"
                  : "; name the folder that an export was written to"));
    }
    try {
      @Nullable ExportManifest manifest = JSON.readValue(file.toFile(), ExportManifest.class);
      if (manifest == null) {
        throw new TransferException(damaged(file));
      }
      if (manifest.format() != ExportManifest.FORMAT) {
        throw new TransferException(
            folder
                + " has format "
                + manifest.format()
                + ", and this version of Rota reads "
                + ExportManifest.FORMAT
                + "; import it with the version that wrote it, or a newer one");
      }
      return manifest;
    } catch (JacksonException e) {
      throw new TransferException(damaged(file), e);
    }
  }

  private static String damaged(Path file) {
    return file + " was changed or is damaged; copy or make the export again";
  }

  private void check(ExportManifest.FileFacts facts) throws IOException {
    Path file =
        within(facts.path())
            .filter(Files::isRegularFile)
            .orElseThrow(
                () ->
                    new TransferException(
                        "the export in %s lacks its file %s; copy it again whole"
                            .formatted(folder, SafeText.of(facts.path()))));
    if (Files.size(file) != facts.bytes() || !Digest.of(file).equals(facts.sha256())) {
      throw new TransferException(
          "file "
              + SafeText.of(facts.path())
              + " of the export in "
              + folder
              + " was changed since it was written; copy or make the export again");
    }
  }

  /**
   * Resolves a name; empty if the name, which may come from elsewhere, leads out of the folder or
   * is invalid.
   */
  private Optional<Path> within(String name) {
    try {
      return Optional.of(path(name).normalize()).filter(file -> file.startsWith(folder));
    } catch (InvalidPathException e) {
      return Optional.empty();
    }
  }

  private void requireEmpty() throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      if (all.findAny().isPresent()) {
        throw new TransferException(
            folder + " holds something else; name a folder that is empty or not there");
      }
    }
  }

  /** Removes old files, except copies of archived files: they are checked before they are used. */
  private void clean() throws IOException {
    for (Path each : list(folder)) {
      String name = String.valueOf(each.getFileName());
      if (!name.equals(MARK) && !name.equals(ARCHIVE)) {
        Staging.delete(each);
      }
    }
  }

  /** Removes files that do not belong to the export. */
  private void tidyUp() throws IOException {
    Staging.delete(work());
    Set<Path> wanted = new HashSet<>();
    files.forEach(file -> wanted.add(path(file.path())));
    for (Path each : list(folder.resolve(ARCHIVE))) {
      if (!wanted.contains(each)) {
        Files.delete(each);
      }
    }
  }

  private static List<Path> list(Path within) throws IOException {
    try (Stream<Path> all = Files.list(within)) {
      return all.toList();
    }
  }

  private static String kindOf(String name) {
    return name.replaceAll("[0-9]+", "n");
  }

  private interface Step {
    void run() throws IOException;
  }

  private void observed(String operation, Step step) throws IOException {
    observer.before(operation);
    step.run();
    observer.after(operation);
  }

  private static void force(Path file) throws IOException {
    boolean isFolder = Files.isDirectory(file);
    try (FileChannel channel =
        FileChannel.open(file, isFolder ? StandardOpenOption.READ : StandardOpenOption.WRITE)) {
      channel.force(true);
    }
  }
}
