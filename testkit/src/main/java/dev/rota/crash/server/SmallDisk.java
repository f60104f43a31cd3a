package dev.rota.crash.server;

import dev.rota.testing.ServerTemplate;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;

/**
 * A separate file system in memory that can be filled completely. Needs the right to mount one;
 * skips the calling test without it. Not thread-safe.
 */
public final class SmallDisk implements AutoCloseable {

  private static final int CHUNK = 64 * 1024;

  private final Path directory;

  private SmallDisk(Path directory) {
    this.directory = directory;
  }

  /** Mounts a file system of that size. */
  public static SmallDisk mount(int megabytes) throws Exception {
    Path directory = Files.createTempDirectory("rota-disk-");
    try {
      ServerProcesses.run(
          "mount", "-t", "tmpfs", "-o", "size=" + megabytes + "m", "rota", directory.toString());
    } catch (IOException e) {
      Files.delete(directory);
      Assumptions.abort("No file system of a limited size can be mounted here: " + e.getMessage());
    }
    return new SmallDisk(directory);
  }

  /** The mount point. */
  public Path directory() {
    return directory;
  }

  /** Fills the rest of the file system. */
  public void fill() throws IOException {
    byte[] chunk = new byte[CHUNK];
    try (OutputStream ballast = Files.newOutputStream(ballast())) {
      while (true) {
        ballast.write(chunk);
      }
    } catch (IOException e) {
      if (free() > 0) {
        throw e;
      }
    }
  }

  /** Frees the space that {@link #fill} took. */
  public void empty() throws IOException {
    Files.delete(ballast());
  }

  /** The number of free bytes. */
  public long free() throws IOException {
    return Files.getFileStore(directory).getUsableSpace();
  }

  /** Unmounts the file system, and loses its files. */
  @Override
  public void close() throws Exception {
    ServerProcesses.run("umount", directory.toString());
    ServerTemplate.delete(directory);
  }

  private Path ballast() {
    return directory.resolve("ballast");
  }
}
