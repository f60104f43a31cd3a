package dev.rota.crash.server;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Programs of a PostgreSQL that is installed on this machine, such as {@code pg_dump}. */
final class PostgresPrograms {

  private static final Pattern MAJOR = Pattern.compile("\\(PostgreSQL\\) (\\d+)");

  private PostgresPrograms() {}

  /** The program of that name, if there is one that is no older than the server's version. */
  static Optional<Path> find(String name, int major) throws IOException, InterruptedException {
    for (Path directory : directories()) {
      Path program = directory.resolve(name);
      if (Files.isExecutable(program) && major(program) >= major) {
        return Optional.of(program);
      }
    }
    return Optional.empty();
  }

  /** The path, and where PostgreSQL says that its own programs are. */
  private static List<Path> directories() throws IOException, InterruptedException {
    List<Path> directories = new ArrayList<>();
    for (String directory : System.getenv("PATH").split(File.pathSeparator, -1)) {
      directories.add(Path.of(directory));
    }
    for (Path directory : List.copyOf(directories)) {
      Path config = directory.resolve("pg_config");
      if (Files.isExecutable(config)) {
        directories.add(Path.of(output(config, "--bindir")));
      }
    }
    return directories;
  }

  private static int major(Path program) throws IOException, InterruptedException {
    Matcher version = MAJOR.matcher(output(program, "--version"));
    return version.find() ? Integer.parseInt(version.group(1)) : 0;
  }

  private static String output(Path program, String argument)
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(program.toString(), argument).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    return output.strip();
  }
}
