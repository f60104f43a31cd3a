package dev.rota.cli.demo;

import dev.rota.demo.MalformedTraceException;
import java.io.PrintStream;

/** Counts the malformed lines that a lenient demo skips, and names the first of them. */
final class SkippedLines {

  private static final int NAMED = 20;

  private final PrintStream err;
  private long lastLine;
  private long count;

  SkippedLines(PrintStream err) {
    this.err = err;
  }

  /**
   * Counts a line. The trace is read twice, first to check it; a line counts only the first time.
   */
  synchronized void add(MalformedTraceException malformed) {
    if (malformed.line() <= lastLine) {
      return;
    }
    lastLine = malformed.line();
    count++;
    if (count <= NAMED) {
      err.println("rota: skipped, " + malformed.getMessage());
    }
  }

  synchronized long count() {
    return count;
  }
}
