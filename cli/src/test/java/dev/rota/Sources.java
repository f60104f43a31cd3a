package dev.rota;

import dev.rota.testing.Documents;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The source files of the main code of all modules. */
final class Sources {

  private static final List<String> MODULES =
      List.of(
          "sql",
          "testkit",
          "core",
          "integrations/jackson",
          "partition-manager",
          "integrations/micrometer",
          "integrations/opentelemetry",
          "integrations/junit",
          "dashboard",
          "integrations/spring-boot-starter",
          "cli",
          "reliability",
          "benchmarks");

  private Sources() {}

  /** All files of main code. */
  static Stream<Path> main() {
    return MODULES.stream()
        .flatMap(module -> in(Documents.home().resolve(module).resolve("src").resolve("main")));
  }

  /** The files in Java, but for those that only describe a package. */
  static Stream<Path> java() {
    return main()
        .filter(file -> file.toString().endsWith(".java"))
        .filter(file -> !file.endsWith("package-info.java"));
  }

  /** A file, or all files in a folder. */
  static Stream<Path> in(Path folder) {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(Files::isRegularFile).toList().stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
