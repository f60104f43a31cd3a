package dev.rota.cli;

import dev.rota.cli.common.Terminal;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** One call of the command in this JVM, and its output. */
public record Invocation(int code, String out, String err) {

  public static Invocation of(String... args) {
    return of(Map.of(), "", args);
  }

  static Invocation of(Map<String, String> environment, String in, String... args) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Terminal terminal =
        new Terminal(
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            new ByteArrayInputStream(in.getBytes(StandardCharsets.UTF_8)),
            environment,
            false);
    int code = RotaCommand.run(args, terminal);
    return new Invocation(
        code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }

  /** Both streams, to look for what must be in neither. */
  String all() {
    return out + err;
  }
}
