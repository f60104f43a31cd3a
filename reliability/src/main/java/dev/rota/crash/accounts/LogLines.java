package dev.rota.crash.accounts;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;

/** Reads the lines of an {@link AppendLog}. */
public final class LogLines {

  private LogLines() {}

  /**
   * Passes the words of each line to a reader. A last line without an end is left out: its writer
   * was killed before it could continue, so no process relied on it.
   */
  public static void read(Path path, Consumer<String[]> reader) throws IOException {
    boolean torn = isTorn(path);
    try (BufferedReader lines = Files.newBufferedReader(path, StandardCharsets.US_ASCII)) {
      String line = lines.readLine();
      while (line != null) {
        String next = lines.readLine();
        if (next != null || !torn) {
          reader.accept(line.split(" "));
        }
        line = next;
      }
    }
  }

  private static boolean isTorn(Path path) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "r")) {
      if (file.length() == 0) {
        return false;
      }
      file.seek(file.length() - 1);
      return file.read() != '\n';
    }
  }
}
