package dev.rota.crash.accounts;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A log that survives the kill of its process. A record is one write to the file, and a written
 * record belongs to the system from then on. Only the death of the machine would lose it.
 * Thread-safe.
 */
public final class AppendLog implements AutoCloseable {

  private final FileChannel file;

  /** Opens or creates the log. */
  public AppendLog(Path path) throws IOException {
    this.file =
        FileChannel.open(
            path, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND);
  }

  /** Appends a line. */
  public void write(String line) {
    ByteBuffer bytes = StandardCharsets.US_ASCII.encode(line + "\n");
    try {
      int length = bytes.remaining();
      int written = file.write(bytes);
      if (written != length) {
        throw new IOException(written + " of " + length + " bytes written to the accounts");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
