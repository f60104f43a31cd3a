package dev.rota.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.rota.testing.Documents;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Checks that the types of implementation packages are public only if another package uses them, be
 * it in tests. It stands in a late module of the build, because it reads the classes of the earlier
 * ones. The build may compile the crash suite at the same time: of that, it reads the imports.
 */
@Tag("exhaustive")
class VisibilityTest {

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
          "benchmarks");

  private static final String BUILT_BESIDE = "reliability";

  private static final Pattern IMPORT =
      Pattern.compile("^import (?:static )?(dev\\.rota\\.[a-z.]+\\.[A-Z]\\w*)", Pattern.MULTILINE);

  /** A class and a class that it depends on, as {@code jdeps} prints them. */
  private static final Pattern EDGE =
      Pattern.compile("^ +(dev\\.rota\\.\\S+) +-> (dev\\.rota\\.\\S+) .*$", Pattern.MULTILINE);

  @Test
  void onlyTypesThatOtherPackagesUseArePublic() throws Exception {
    List<Path> main = folders("classes");
    assumeThat(main).as("the build of all modules").allMatch(Files::isDirectory);
    Set<String> used = usedByOtherPackages(main);
    Set<String> imported = importedBeside();
    List<String> types = publicTypes(main);
    List<String> unused =
        types.stream()
            .filter(type -> !used.contains(type))
            .filter(type -> withEnclosing(type).noneMatch(imported::contains))
            .toList();
    System.out.printf(
        "public types in implementation packages: %d, used by their own package alone: %d%n",
        types.size(), unused.size());
    assertThat(types).hasSizeGreaterThan(100);
    assertThat(unused).as("types to make package-private").isEmpty();
  }

  private static List<Path> folders(String name) {
    return MODULES.stream()
        .map(module -> Documents.home().resolve(module).resolve("target").resolve(name))
        .toList();
  }

  /** The types that classes of other packages name, even in the signature of what they call. */
  private static Set<String> usedByOtherPackages(List<Path> main) {
    List<String> arguments =
        new ArrayList<>(List.of("-verbose:class", "-filter:none", "--ignore-missing-deps"));
    Stream.of(main, folders("test-classes"))
        .flatMap(Collection::stream)
        .filter(Files::isDirectory)
        .forEach(folder -> arguments.add(folder.toString()));
    StringWriter output = new StringWriter();
    PrintWriter printer = new PrintWriter(output);
    int code =
        ToolProvider.findFirst("jdeps")
            .orElseThrow()
            .run(printer, printer, arguments.toArray(String[]::new));
    assertThat(code).as(output.toString()).isZero();
    return EDGE.matcher(output.toString())
        .results()
        .filter(edge -> !packageOf(edge.group(1)).equals(packageOf(edge.group(2))))
        .flatMap(edge -> withEnclosing(edge.group(2)))
        .collect(Collectors.toSet());
  }

  private static Set<String> importedBeside() throws IOException {
    Path sources = Documents.home().resolve(BUILT_BESIDE).resolve("src");
    try (Stream<Path> files = Files.walk(sources)) {
      List<Path> java = files.filter(file -> file.toString().endsWith(".java")).toList();
      assertThat(java).isNotEmpty();
      Set<String> imported = new HashSet<>();
      for (Path file : java) {
        IMPORT.matcher(Files.readString(file)).results().forEach(hit -> imported.add(hit.group(1)));
      }
      return imported;
    }
  }

  private static String packageOf(String type) {
    return type.substring(0, type.lastIndexOf('.'));
  }

  /** A nested type, and the types around it. */
  private static Stream<String> withEnclosing(String type) {
    return Stream.iterate(
        type,
        name -> !name.isEmpty(),
        name -> name.substring(0, Math.max(0, name.lastIndexOf('$'))));
  }

  private static List<String> publicTypes(List<Path> main) throws Exception {
    URL[] urls = new URL[main.size()];
    for (int i = 0; i < urls.length; i++) {
      urls[i] = main.get(i).toUri().toURL();
    }
    List<String> found = new ArrayList<>();
    try (URLClassLoader loader = new URLClassLoader(urls)) {
      for (String name : names(main)) {
        if (isPublic(Class.forName(name, false, loader))) {
          found.add(name);
        }
      }
    }
    return found;
  }

  private static boolean isPublic(Class<?> type) {
    Class<?> around = type.getEnclosingClass();
    return Modifier.isPublic(type.getModifiers()) && (around == null || isPublic(around));
  }

  /** The names of the classes in implementation packages. */
  private static List<String> names(List<Path> folders) throws IOException {
    List<String> names = new ArrayList<>();
    for (Path folder : folders) {
      try (Stream<Path> files = Files.walk(folder)) {
        files
            .map(file -> folder.relativize(file).toString())
            .filter(file -> file.matches(".*\\binternal\\b.*\\.class"))
            .filter(file -> !file.endsWith("package-info.class"))
            .map(file -> file.replaceFirst("\\.class$", "").replaceAll("[/\\\\]", "."))
            .forEach(names::add);
      }
    }
    return names;
  }
}
