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
 * What a command reads and writes, so that tests can hand in their own.
 *
 * @param out where results go
 * @param err where progress and errors go
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

  /** JSON is UTF-8 whatever the locale of the machine. */
  private static PrintStream utf8(FileDescriptor descriptor) {
    return new PrintStream(new FileOutputStream(descriptor), true, StandardCharsets.UTF_8);
  }

  /** Java tells only whether input and output are screens, and with --json output is often not. */
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
