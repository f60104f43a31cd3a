package dev.rota.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.cli.common.Terminal;
import dev.rota.testing.Await;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A command that runs in a thread of this JVM until it is stopped as by a signal. */
final class RunningCommandLine implements AutoCloseable {

  private static final long PATIENCE_SECONDS = 30;

  private final ByteArrayOutputStream output = new ByteArrayOutputStream();
  private final FutureTask<Integer> result;
  private final Thread thread;

  RunningCommandLine(List<String> words) {
    this(Map.of(), words);
  }

  RunningCommandLine(Map<String, String> environment, List<String> words) {
    PrintStream stream = new PrintStream(output, true, StandardCharsets.UTF_8);
    Terminal terminal =
        new Terminal(stream, stream, new ByteArrayInputStream(new byte[0]), environment, false);
    result = new FutureTask<>(() -> RotaCommand.run(words.toArray(String[]::new), terminal));
    thread = new Thread(result, "command-line");
    thread.start();
  }

  /** What it has printed so far. */
  String text() {
    return output.toString(StandardCharsets.UTF_8);
  }

  /** Waits until it has printed a text. */
  void await(String expected) {
    awaitAny(expected, this);
  }

  /** Waits until one of several has printed a text. */
  static void awaitAny(String expected, RunningCommandLine... commands) {
    Await.until(
        "it is printed: " + expected,
        Await.USUAL,
        () -> isPrinted(expected, commands) || areOver(commands),
        () -> texts(commands));
    assertThat(isPrinted(expected, commands))
        .as("printed: %s; but: %s", expected, texts(commands))
        .isTrue();
  }

  private static boolean isPrinted(String text, RunningCommandLine... commands) {
    return Arrays.stream(commands).anyMatch(command -> command.text().contains(text));
  }

  private static boolean areOver(RunningCommandLine... commands) {
    return Arrays.stream(commands).allMatch(command -> command.result.isDone());
  }

  private static List<String> texts(RunningCommandLine... commands) {
    return Arrays.stream(commands).map(RunningCommandLine::text).toList();
  }

  /** Stops it as SIGTERM does, and returns its exit code. */
  int stop() throws Exception {
    thread.interrupt();
    return result.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  @Override
  public void close() throws Exception {
    if (!result.isDone()) {
      try {
        int unused = stop();
      } catch (TimeoutException e) {
        throw new AssertionError("it does not stop: " + text(), e);
      }
    }
  }
}
