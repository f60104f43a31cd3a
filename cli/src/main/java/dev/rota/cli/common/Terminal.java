package dev.rota.cli.common;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;

/**
 * The input and output of a command, which tests can replace.
 *
 * @param out receives results
 * @param err receives progress and errors
 * @param in standard input
 * @param environment the environment variables
 * @param interactive whether {@code err} is a screen, on which a line can be overwritten
 */
public record Terminal(
    PrintStream out,
    PrintStream err,
    InputStream in,
    Map<String, String> environment,
    boolean interactive) {

  public Terminal {
    out = Screen.over(out);
    err = Screen.over(err);
  }

  public static Terminal ofProcess() {
    return new Terminal(
        utf8(FileDescriptor.out),
        utf8(FileDescriptor.err),
        System.in,
        System.getenv(),
        errIsScreen());
  }

  /** Opens a stream in UTF-8, the encoding of JSON, whatever the locale of the machine. */
  private static PrintStream utf8(FileDescriptor descriptor) {
    return new PrintStream(new FileOutputStream(descriptor), true, StandardCharsets.UTF_8);
  }

  /**
   * Whether standard error is a screen. Java knows it only for input and output, and with --json
   * output is often none.
   */
  private static boolean errIsScreen() {
    if ("dumb".equals(System.getenv("TERM"))) {
      return false;
    }
    try {
      String target = Path.of("/proc/self/fd/2").toRealPath().toString();
      return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty");
    } catch (IOException e) {
      // A pipe, which has no real path, or a system without /proc: plain lines suit everywhere.
      return false;
    }
  }
}
