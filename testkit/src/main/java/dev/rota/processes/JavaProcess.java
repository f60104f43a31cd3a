package dev.rota.processes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.testing.Await;
import dev.rota.testing.ServerTemplate;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A Java process of a test: started on the test's class path, controlled by lines of text, killed
 * when closed. Not thread-safe, except {@link #kill}.
 */
public final class JavaProcess implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String END = "(its output has ended)";

  private final Process process;
  private final Path temporary;
  private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
  private final Writer input;

  private JavaProcess(Process process, Path temporary) {
    this.process = process;
    this.temporary = temporary;
    this.input = process.outputWriter(StandardCharsets.UTF_8);
    Thread reader = new Thread(this::readLines, "reader-of-" + process.pid());
    reader.setDaemon(true);
    reader.start();
  }

  /** Starts a main class and waits until it reports that it has started. */
  public static JavaProcess start(Class<?> main, String... arguments)
      throws IOException, InterruptedException {
    JavaProcess started = launch(main, arguments);
    started.awaitStarted();
    return started;
  }

  /** Starts a main class with the given heap, such as 64m, and waits until it has started. */
  public static JavaProcess startWithHeap(String heap, Class<?> main, String... arguments)
      throws IOException, InterruptedException {
    JavaProcess started = launch(errors(main), heap, main, arguments);
    started.awaitStarted();
    return started;
  }

  /** Starts a main class; its first line of output must be "started". */
  public static JavaProcess launch(Class<?> main, String... arguments) throws IOException {
    return launch(errors(main), main, arguments);
  }

  /** Starts a main class, with its standard error redirected. */
  public static JavaProcess launch(
      ProcessBuilder.Redirect errors, Class<?> main, String... arguments) throws IOException {
    return launch(errors, "256m", main, arguments);
  }

  /**
   * The destination of standard error. The crash suite starts hundreds of processes, and keeps the
   * output of a failed test's.
   */
  private static ProcessBuilder.Redirect errors(Class<?> main) {
    return ProcessLogs.areWanted()
        ? ProcessBuilder.Redirect.to(ProcessLogs.next(main.getSimpleName()).toFile())
        : ProcessBuilder.Redirect.INHERIT;
  }

  private static JavaProcess launch(
      ProcessBuilder.Redirect errors, String heap, Class<?> main, String... arguments)
      throws IOException {
    // A killed process cannot clean up, and DuckDB unpacks a library of 70 MB.
    Path temporary = Files.createTempDirectory("rota-process-");
    List<String> command = new ArrayList<>();
    command.add(java());
    command.add("-Xmx" + heap);
    command.add("-XX:+UseSerialGC");
    command.add("-XX:TieredStopAtLevel=1");
    // Saves a fifth of the time to start.
    command.add("-XX:+UnlockDiagnosticVMOptions");
    command.add("-XX:-BytecodeVerificationRemote");
    command.add("-Djava.io.tmpdir=" + temporary);
    command.addAll(ClassArchive.optionsFor(main));
    command.add("-cp");
    command.add(ClassArchive.classPath());
    command.add(main.getName());
    command.addAll(List.of(arguments));
    return new JavaProcess(new ProcessBuilder(command).redirectError(errors).start(), temporary);
  }

  /** The program of this JVM. */
  static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  /**
   * Called first by the main method of such a process; returns the stream of its answers. All other
   * standard output, such as logs, goes to standard error.
   */
  public static PrintStream answers() {
    PrintStream answers = System.out;
    System.setOut(System.err);
    return answers;
  }

  /** Waits until the process reports that it has started. */
  public void awaitStarted() throws InterruptedException {
    assertThat(nextLine()).as("first line of " + this).isEqualTo("started");
  }

  /** Sends a line and returns the answer. */
  public String ask(String line) throws IOException, InterruptedException {
    tell(line);
    return nextLine();
  }

  /** Sends a line. */
  public void tell(String line) throws IOException {
    input.write(line + "\n");
    input.flush();
  }

  /** Returns the next line of its output. */
  public String nextLine() throws InterruptedException {
    String line = lines.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    if (line == null) {
      throw new AssertionError(this + " has said nothing for " + PATIENCE);
    }
    return line;
  }

  /** Sends a signal by its name, such as STOP. */
  public void signal(String name) throws IOException, InterruptedException {
    int code =
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
    assertThat(code).as("kill -" + name).isZero();
  }

  /** Stops the process wherever it is, until it is woken. It does nothing when this returns. */
  public void freeze() throws IOException, InterruptedException {
    signal("STOP");
    // On a busy machine its threads go on until one of them is scheduled and takes the signal.
    Path state = Path.of("/proc", Long.toString(process.pid()), "stat");
    if (Files.exists(state)) {
      Await.until(this + " stands still", () -> Files.readString(state).contains(") T "));
    }
  }

  /** Continues the process as if nothing had happened. */
  public void wake() throws IOException, InterruptedException {
    signal("CONT");
  }

  /** Kills the process with SIGKILL. It is gone when this returns. */
  public void kill() throws InterruptedException {
    process.destroyForcibly();
    assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  public long pid() {
    return process.pid();
  }

  @Override
  public void close() throws InterruptedException {
    kill();
    try {
      ServerTemplate.delete(temporary);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public String toString() {
    return "process " + process.pid();
  }

  private void readLines() {
    try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        lines.add(line);
      }
    } catch (IOException e) {
      // It was killed: there is no more output.
      lines.add(END);
    }
    lines.add(END);
  }
}
