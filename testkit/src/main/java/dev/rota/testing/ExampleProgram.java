package dev.rota.testing;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Assumptions;

/**
 * An example of docs/examples: a Java program that is compiled against the class path of the test,
 * or a script that an interpreter runs.
 */
public final class ExampleProgram implements AutoCloseable {

  private static final int MINUTES = 2;

  private final URLClassLoader loader;

  private ExampleProgram(URLClassLoader loader) {
    this.loader = loader;
  }

  /**
   * Compiles the sources of an example and copies its resources.
   *
   * @param name the folder below docs/examples
   * @param target an empty folder for its classes
   * @throws IllegalStateException if it does not compile; the message is the compiler's
   */
  public static ExampleProgram compile(String name, Path target) throws IOException {
    Path main = folder(name).resolve("src/main");
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter messages = new StringWriter();
    List<String> options =
        List.of(
            "-d", target.toString(), "-cp", System.getProperty("java.class.path"), "-parameters");
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      Boolean compiled =
          compiler
              .getTask(
                  messages,
                  files,
                  null,
                  options,
                  null,
                  files.getJavaFileObjectsFromPaths(filesIn(main.resolve("java"))))
              .call();
      if (!compiled) {
        throw new IllegalStateException(name + ": " + messages);
      }
    }
    for (Path resource : filesIn(main.resolve("resources"))) {
      Files.copy(resource, target.resolve(resource.getFileName()));
    }
    URL[] classes = {target.toUri().toURL()};
    return new ExampleProgram(
        new URLClassLoader(classes, Thread.currentThread().getContextClassLoader()));
  }

  /** The folder of an example. */
  public static Path folder(String name) {
    return Documents.home().resolve("docs/examples").resolve(name);
  }

  /** A class of the example. */
  public Class<?> type(String name) throws ClassNotFoundException {
    return Class.forName(name, true, loader);
  }

  /** Calls the main method of a class of the example. */
  public void main(String type, String... arguments) throws ReflectiveOperationException {
    type(type).getMethod("main", String[].class).invoke(null, (Object) arguments);
  }

  /** Finds an interpreter; skips the calling test where it does not answer to these arguments. */
  public static String interpreter(String name, String... check)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(name));
    command.addAll(List.of(check));
    Assumptions.assumeTrue(
        ClientProgram.onPath(name).isPresent() && ends(new ProcessBuilder(command)) == 0,
        () -> String.join(" ", command) + " fails on this machine");
    return name;
  }

  /** Runs a command for a database, whose address is in DATABASE_URL; fails if the command does. */
  public static void run(TestDatabase database, Path folder, String... command)
      throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
    builder.environment().put("DATABASE_URL", database.uri());
    builder.environment().put("PGPASSWORD", database.password());
    int code = ends(builder);
    if (code != 0) {
      throw new IllegalStateException(String.join(" ", command) + " has ended with code " + code);
    }
  }

  /** Runs a command to its end and returns its code. */
  private static int ends(ProcessBuilder command) throws IOException, InterruptedException {
    Process process =
        command
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    if (!process.waitFor(MINUTES, TimeUnit.MINUTES)) {
      process.destroyForcibly();
      throw new IllegalStateException(command.command() + " does not end");
    }
    return process.exitValue();
  }

  private static List<Path> filesIn(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(Files::isRegularFile).toList();
    }
  }

  @Override
  public void close() throws IOException {
    loader.close();
  }
}
