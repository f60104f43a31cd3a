package dev.rota.crash.server;

import dev.rota.testing.ServerTemplate;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;

/**
 * A file system of its own, in memory, that is really full when it is full. Needs the right to
 * mount one; skips the calling test where that is not to be had. Not thread-safe.
 */
public final class SmallDisk implements AutoCloseable {

  private static final int CHUNK = 64 * 1024;

  private final Path directory;

  private SmallDisk(Path directory) {
    this.directory = directory;
  }

  /** One with room for that much. */
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

  /** Where it is. */
  public Path directory() {
    return directory;
  }

  /** Takes all the room that is left. */
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

  /** Gives back what {@link #fill} took. */
  public void empty() throws IOException {
    Files.delete(ballast());
  }

  /** How many bytes are free. */
  public long free() throws IOException {
    return Files.getFileStore(directory).getUsableSpace();
  }

  /** Everything on it is gone. */
  @Override
  public void close() throws Exception {
    ServerProcesses.run("umount", directory.toString());
    ServerTemplate.delete(directory);
  }

  private Path ballast() {
    return directory.resolve("ballast");
  }
}
