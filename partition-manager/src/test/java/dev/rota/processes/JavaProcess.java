package dev.rota.processes;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A Java process of a test: started on the test's class path, spoken to by lines. */
final class JavaProcess implements AutoCloseable {

  private final Process process;
  private final BufferedReader output;
  private final Writer input;

  private JavaProcess(Process process) {
    this.process = process;
    this.output = process.inputReader(StandardCharsets.UTF_8);
    this.input = process.outputWriter(StandardCharsets.UTF_8);
  }

  /** Starts a main class and waits until it says that it has started. */
  static JavaProcess start(Class<?> main, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xmx256m");
    command.add("-XX:+UseSerialGC");
    command.add("-XX:TieredStopAtLevel=1");
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(main.getName());
    command.addAll(List.of(arguments));
    JavaProcess started =
        new JavaProcess(
            new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
    assertThat(started.output.readLine()).as("first line of " + main).isEqualTo("started");
    return started;
  }

  /** Sends a line and returns the answer. */
  String ask(String line) throws IOException {
    input.write(line + "\n");
    input.flush();
    return output.readLine();
  }

  /** Sends a signal by its name, such as STOP. */
  void signal(String name) throws IOException, InterruptedException {
    int code =
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
    assertThat(code).as("kill -" + name).isZero();
  }

  /** The kill that no process can catch. */
  void kill() throws InterruptedException {
    process.destroyForcibly();
    assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
  }

  long pid() {
    return process.pid();
  }

  @Override
  public void close() throws InterruptedException {
    kill();
  }
}
