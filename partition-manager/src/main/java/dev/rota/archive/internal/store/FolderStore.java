package dev.rota.archive.internal.store;

import dev.rota.archive.ObjectStore;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileSystemException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Stores objects as files of a folder. */
public final class FolderStore implements ObjectStore {

  /** The suffix of incomplete files. */
  private static final String PART = ".part";

  /** Matches Rota's incomplete files; programs that share the folder may have other ones. */
  private static final Pattern HALF = Pattern.compile(".*\\.[0-9a-f-]{36}\\" + PART);

  private final Path folder;

  /** Creates a store over a folder that need not exist yet. */
  public FolderStore(Path folder) {
    this.folder = folder.toAbsolutePath().normalize();
  }

  @Override
  public void put(String key, Path file) throws IOException {
    requireFolder();
    Path target = path(key);
    Path part = target.resolveSibling(target.getFileName() + "." + UUID.randomUUID() + PART);
    Path parent = parentOf(target);
    try {
      Files.createDirectories(parent);
      Files.copy(file, part);
      writeThrough(part);
      Files.move(part, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      writeThroughFolders(parent);
    } catch (IOException e) {
      discard(part, e);
      throw explained("write", e);
    }
  }

  @Override
  public void fetch(String key, Path file) throws IOException {
    requireFolder();
    try {
      Files.copy(path(key), file, StandardCopyOption.REPLACE_EXISTING);
    } catch (NoSuchFileException e) {
      throw e;
    } catch (IOException e) {
      throw explained("read", e);
    }
  }

  @Override
  public Optional<StoredObject> find(String key) throws IOException {
    requireFolder();
    Path path = path(key);
    return Files.isRegularFile(path) ? stored(key, path) : Optional.empty();
  }

  /**
   * Returns the object of a file. Another process may delete the file between two system calls:
   * then it is no object.
   */
  private static Optional<StoredObject> stored(String key, Path file) throws IOException {
    try {
      return Optional.of(new StoredObject(key, Files.size(file)));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  @Override
  public List<StoredObject> list(String prefix) throws IOException {
    List<StoredObject> found = new ArrayList<>();
    visit(prefix, found::add);
    found.sort(Comparator.comparing(StoredObject::key));
    return found;
  }

  @Override
  public void visit(String prefix, Consumer<StoredObject> visitor) throws IOException {
    walk(
        within(prefix),
        file -> {
          String key = folder.relativize(file).toString().replace('\\', '/');
          if (key.startsWith(prefix) && !isHalf(key)) {
            stored(key, file).ifPresent(visitor);
          }
        });
  }

  @Override
  public void delete(String key) throws IOException {
    requireFolder();
    Path path = path(key);
    try {
      Files.deleteIfExists(path);
      removeEmptyFolders(parentOf(path));
    } catch (IOException e) {
      throw explained("delete", e);
    }
  }

  /**
   * Removes empty folders. A concurrent put that has just created one of them fails, and is
   * repeated.
   */
  private void removeEmptyFolders(Path lowest) throws IOException {
    for (Path each = lowest;
        each != null && each.startsWith(folder) && !each.equals(folder);
        each = each.getParent()) {
      try {
        Files.deleteIfExists(each);
      } catch (DirectoryNotEmptyException e) {
        // The folder holds other objects, and so do those above it.
        return;
      }
    }
  }

  @Override
  public int discardHalfUploads(Duration age) throws IOException {
    List<Path> halves = new ArrayList<>();
    walk(
        folder,
        file -> {
          if (isHalf(file.toString()) && isOlder(file, age)) {
            halves.add(file);
          }
        });
    int discarded = 0;
    for (Path half : halves) {
      if (Files.deleteIfExists(half)) {
        discarded++;
      }
    }
    return discarded;
  }

  /** Whether a file was last written that long ago. Its put may end meanwhile: then it is gone. */
  private static boolean isOlder(Path file, Duration age) throws IOException {
    try {
      Instant written = Files.getLastModifiedTime(file).toInstant();
      return !written.isAfter(Instant.now().minus(age));
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  @Override
  public Optional<Path> local(String key) {
    return Optional.of(path(key));
  }

  @Override
  public void close() {
    // The folder does not exist.
  }

  @Override
  public String toString() {
    return "folder " + folder;
  }

  private static boolean isHalf(String name) {
    return HALF.matcher(name).matches();
  }

  /** The lowest folder that contains all files whose keys have the prefix. */
  private Path within(String prefix) {
    int slash = prefix.lastIndexOf('/');
    return slash <= 0 ? folder : path(prefix.substring(0, slash));
  }

  private void walk(Path root, FileAction action) throws IOException {
    requireFolder();
    if (Files.notExists(root)) {
      return;
    }
    try {
      Files.walkFileTree(root, new RegularFiles(action));
    } catch (IOException e) {
      throw explained("list", e);
    }
  }

  /** An action on a file. */
  @FunctionalInterface
  private interface FileAction {
    void run(Path file) throws IOException;
  }

  /** Visits files, except those that other processes delete meanwhile. */
  private static final class RegularFiles extends SimpleFileVisitor<Path> {
    private final FileAction action;

    RegularFiles(FileAction action) {
      this.action = action;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      if (Files.isRegularFile(file)) {
        action.run(file);
      }
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException reason) throws IOException {
      return goOn(reason);
    }

    @Override
    public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException reason)
        throws IOException {
      return reason == null ? FileVisitResult.CONTINUE : goOn(reason);
    }

    private static FileVisitResult goOn(IOException reason) throws IOException {
      if (reason instanceof NoSuchFileException) {
        return FileVisitResult.CONTINUE;
      }
      throw reason;
    }
  }

  private Path path(String key) {
    Path path = folder.resolve(key).normalize();
    if (!path.startsWith(folder) || path.equals(folder)) {
      throw new IllegalArgumentException("key '" + key + "' leads out of " + folder);
    }
    return path;
  }

  private static Path parentOf(Path target) {
    Path parent = target.getParent();
    if (parent == null) {
      throw new IllegalArgumentException(target + " is no file in a folder");
    }
    return parent;
  }

  private void requireFolder() throws IOException {
    if (!Files.isDirectory(folder)) {
      throw new IOException(
          "the archive's folder " + folder + " is not there; create it, or mount it");
    }
  }

  private static void writeThrough(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.force(true);
    }
  }

  /** Writes through the entry of the file, and those of folders that may be new. */
  private void writeThroughFolders(Path parent) throws IOException {
    for (Path each = parent; each != null && each.startsWith(folder); each = each.getParent()) {
      try (FileChannel channel = FileChannel.open(each, StandardOpenOption.READ)) {
        channel.force(true);
      }
    }
  }

  private static void discard(Path part, IOException reason) {
    try {
      Files.deleteIfExists(part);
    } catch (IOException e) {
      reason.addSuppressed(e);
    }
  }

  private IOException explained(String action, IOException e) {
    String detail =
        e instanceof FileSystemException system && system.getReason() != null
            ? system.getReason()
            : String.valueOf(e.getMessage());
    return new IOException(
        "cannot "
            + action
            + " in the archive's "
            + this
            + ": "
            + detail
            + "; check its free space and the rights of this process",
        e);
  }
}
