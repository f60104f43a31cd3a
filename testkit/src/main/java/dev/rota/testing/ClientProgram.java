package dev.rota.testing;

import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/**
 * A client program of PostgreSQL that is installed on this machine, such as {@code pg_dump}. It is
 * searched in the folder that {@code pg_config} names, then on the path.
 */
public final class ClientProgram {

  private static final Pattern MAJOR = Pattern.compile("\\) (\\d+)");

  private final Path file;

  private ClientProgram(Path file) {
    this.file = file;
  }

  /** Finds a program; skips the calling test where it is missing or older than a server. */
  public static ClientProgram forServer(int major, String name) {
    Optional<Path> file = find(name);
    Assumptions.assumeTrue(file.isPresent(), () -> name + " is not installed on this machine");
    ClientProgram program = new ClientProgram(file.get());
    int own = program.major();
    Assumptions.assumeTrue(
        own >= major, () -> name + " is of version " + own + ", the server of " + major);
    return program;
  }

  /**
   * Finds a program for tests that can work without it; empty where it is missing or older than the
   * server.
   */
  public static Optional<ClientProgram> findForServer(int major, String name) {
    return find(name).map(ClientProgram::new).filter(program -> program.major() >= major);
  }

  /** Builds the command line of this program with arguments, for a database. */
  public ProcessBuilder command(TestDatabase database, String... arguments) {
    ProcessBuilder builder = command(database.uri(), arguments);
    builder.environment().put("PGPASSWORD", database.password());
    return builder;
  }

  /** Builds the command line for a database that a URI names, and that needs no password. */
  public ProcessBuilder command(String uri, String... arguments) {
    List<String> line = new ArrayList<>();
    line.add(file.toString());
    line.add("--dbname=" + uri);
    line.addAll(List.of(arguments));
    return new ProcessBuilder(line).redirectError(Redirect.INHERIT);
  }

  /** Runs programs, each with the output of the one before as its input; fails if one fails. */
  public static void pipe(ProcessBuilder... programs) throws IOException, InterruptedException {
    programs[programs.length - 1].redirectOutput(Redirect.DISCARD);
    for (Process process : ProcessBuilder.startPipeline(List.of(programs))) {
      int code = process.waitFor();
      if (code != 0) {
        throw new IOException(process + " has ended with code " + code);
      }
    }
  }

  private int major() {
    String version = output(file.toString(), "--version");
    Matcher matcher = MAJOR.matcher(version);
    if (!matcher.find()) {
      throw new IllegalStateException(file + " tells no version: " + version);
    }
    return Integer.parseInt(matcher.group(1));
  }

  private static Optional<Path> find(String name) {
    Stream<Path> folders =
        Stream.concat(
            onPath("pg_config")
                .map(config -> Path.of(output(config.toString(), "--bindir")))
                .stream(),
            path());
    return folders.map(folder -> folder.resolve(name)).filter(Files::isExecutable).findFirst();
  }

  /** Finds a program on the path. */
  static Optional<Path> onPath(String name) {
    return path().map(folder -> folder.resolve(name)).filter(Files::isExecutable).findFirst();
  }

  private static Stream<Path> path() {
    String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
    return Arrays.stream(path.split(File.pathSeparator))
        .filter(each -> !each.isBlank())
        .map(Path::of);
  }

  /** Runs a command and returns what it writes, without the blanks around it. */
  static String output(String... command) {
    try {
      Process process = new ProcessBuilder(command).redirectError(Redirect.INHERIT).start();
      return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim();
    } catch (IOException e) {
      throw new IllegalStateException(String.join(" ", command) + " does not run", e);
    }
  }
}
