package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.rota.testing.Documents;
import java.io.File;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collector;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Measures how well the code is divided into parts, and how its comments are written, each number
 * with a bound. A number may fall and never grow: a change that lowers a number lowers its bound.
 * The tests print all numbers.
 */
class StructureTest {

  /** The classes in the largest cycle of each module that comes before this test in the build. */
  private static final Map<String, Integer> LARGEST_CYCLE =
      Map.of(
          "testkit",
          3,
          "core",
          3,
          "integrations/jackson",
          1,
          "integrations/micrometer",
          1,
          "integrations/opentelemetry",
          1,
          "integrations/junit",
          2,
          "dashboard",
          2,
          "integrations/spring-boot-starter",
          3,
          "partition-manager",
          3,
          "cli",
          4);

  private static final int FILES_OF_A_PACKAGE = 35;

  private static final int PUBLIC_TYPES_OF_THE_ROOT = 30;
  private static final int REPEATED_NAMES = 0;
  private static final int ODD_IMPLEMENTATIONS = 0;
  private static final int METAPHORS = 0;
  private static final int WORDS_IN_MAIN_CODE = 0;
  private static final int WORDS_IN_DOCUMENTS = 0;
  private static final int LONG_FIRST_SENTENCES = 0;
  private static final int WORDS_OF_A_FIRST_SENTENCE = 30;

  /** The declaration of a type whose name ends in a word that says nothing of what it does. */
  private static final Pattern METAPHOR =
      Pattern.compile("\\b(?:class|record|interface|enum) (\\w+(?:View|Desk|Book|Clerk))\\b");

  /** The last word of a name. */
  private static final Pattern LAST_WORD = Pattern.compile("[A-Z]+[a-z0-9]*$");

  /** Words that hide who acts, and idioms that are none in English. */
  private static final Pattern WORDS =
      Pattern.compile(
          "\\b(whoever|somebody|nobody|anybody|beforehand|in the hands of|all the same|hears? of"
              + "|hangs on|told apart|for want of)\\b",
          Pattern.CASE_INSENSITIVE);

  /** A line break, with what begins the next line of a comment. */
  private static final Pattern LINE_BREAK = Pattern.compile("\\s*\\n\\s*(\\*|//|--)?\\s*");

  private static final Pattern JAVADOC = Pattern.compile("/\\*\\*(.*?)\\*/", Pattern.DOTALL);

  /** A tag within a sentence, with its last word, which is the text that readers see. */
  private static final Pattern INLINE_TAG = Pattern.compile("\\{@[^}]*?(\\S+)}");

  /** The end of a sentence, or the begin of a part of a comment that ends one. */
  private static final Pattern END = Pattern.compile("(?<=[.?!]) | @\\w+ |<(p|ul|ol|pre)>");

  private static final Pattern WORD = Pattern.compile("\\S*\\w\\S*");

  @Test
  @Tag("exhaustive")
  void cyclesOfClassesDoNotGrow() {
    new TreeMap<>(LARGEST_CYCLE)
        .forEach(
            (module, bound) ->
                check(
                    "classes in the largest cycle of " + module,
                    ClassCycles.largest(classes(module)),
                    bound));
  }

  @Test
  void packagesDoNotGrow() {
    Map<String, List<String>> packages =
        Sources.java()
            .collect(Collectors.groupingBy(StructureTest::packageOf, TreeMap::new, names()));
    packages.forEach((name, files) -> check("files of " + name, files, FILES_OF_A_PACKAGE));
  }

  @Test
  @Tag("exhaustive")
  void theRootPackageDoesNotGrow() {
    List<String> types =
        classes("core").stream()
            .filter(type -> type.getPackageName().equals("dev.rota") && type.isTopLevelClass())
            .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC))
            .map(JavaClass::getSimpleName)
            .toList();
    check("public types of dev.rota", types, PUBLIC_TYPES_OF_THE_ROOT);
  }

  @Test
  void namesAreNotRepeatedMoreOften() {
    Map<String, Long> uses =
        Sources.java()
            .map(file -> file.getFileName().toString())
            .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
    uses.values().removeIf(count -> count == 1);
    check("simple names of several top-level types", uses.keySet(), REPEATED_NAMES);
  }

  /** {@code FolderStore} is one sort of {@code ObjectStore}; the only one there is says so. */
  @Test
  @Tag("exhaustive")
  void implementationsAreNamedAfterTheirInterfaces() {
    List<String> odd =
        Stream.of(
                "core",
                "integrations/jackson",
                "integrations/micrometer",
                "integrations/opentelemetry",
                "integrations/junit",
                "dashboard",
                "integrations/spring-boot-starter",
                "partition-manager")
            .flatMap(module -> classes(module).stream())
            .filter(type -> !type.isInterface() && !type.isAnonymousClass())
            .filter(type -> !type.getSimpleName().startsWith("Default"))
            .flatMap(StructureTest::oddNames)
            .toList();
    check("implementations of the API with another name", odd, ODD_IMPLEMENTATIONS);
  }

  @Test
  void namesAreNoMetaphors() {
    List<String> found =
        Sources.java()
            .flatMap(file -> METAPHOR.matcher(Sources.text(file)).results())
            .map(declaration -> declaration.group(1))
            .toList();
    check("types called View, Desk, Book or Clerk", found, METAPHORS);
  }

  @Test
  void sentencesNameTheirActors() {
    // Flyway compares the checksums of applied migrations: even their comments stay as they are.
    Stream<Path> code =
        Sources.main()
            .filter(file -> file.toString().matches("(?!.*/migration/V).*\\.(java|sql|xml)"));
    check("words to avoid in main code", words(code), WORDS_IN_MAIN_CODE);
    Stream<Path> documents =
        Stream.of("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "benchmarks/README.md", "docs")
            .flatMap(name -> Sources.in(Documents.home().resolve(name)))
            .filter(file -> file.toString().endsWith(".md"));
    check("words to avoid in documents", words(documents), WORDS_IN_DOCUMENTS);
  }

  @Test
  void javadocBeginsWithShortSentences() {
    List<String> found =
        Sources.main()
            .filter(file -> file.toString().endsWith(".java"))
            .flatMap(StructureTest::longFirstSentences)
            .toList();
    check("first sentences of Javadoc that are long", found, LONG_FIRST_SENTENCES);
  }

  /** The interfaces of the API that a class implements without their last word in its own name. */
  private static Stream<String> oddNames(JavaClass type) {
    return type.getRawInterfaces().stream()
        .filter(api -> api.getPackageName().startsWith("dev.rota"))
        .filter(api -> !api.getPackageName().contains("internal"))
        // A result with several forms declares them inside itself.
        .filter(api -> !type.getName().startsWith(api.getName() + "$"))
        .filter(api -> !type.getSimpleName().endsWith(lastWord(api)))
        .map(api -> type.getName() + " implements " + api.getSimpleName());
  }

  private static String lastWord(JavaClass type) {
    return LAST_WORD
        .matcher(type.getSimpleName())
        .results()
        .findFirst()
        .map(MatchResult::group)
        .orElseThrow();
  }

  private static void check(String what, Collection<String> found, int bound) {
    System.out.printf("%s: %d, bound %d%n", what, found.size(), bound);
    assertThat(new TreeSet<>(found)).as(what).hasSizeLessThanOrEqualTo(bound);
  }

  /** Each use of such a word: the file, the position and the word. */
  private static List<String> words(Stream<Path> files) {
    return files
        .flatMap(
            file ->
                WORDS
                    .matcher(LINE_BREAK.matcher(Sources.text(file)).replaceAll(" "))
                    .results()
                    .map(word -> use(file, word)))
        .toList();
  }

  private static Stream<String> longFirstSentences(Path file) {
    return JAVADOC
        .matcher(Sources.text(file))
        .results()
        .map(comment -> LINE_BREAK.matcher(comment.group(1)).replaceAll(" ").strip())
        .map(comment -> INLINE_TAG.matcher(comment).replaceAll("$1"))
        .map(comment -> END.split(comment, 2)[0])
        .filter(sentence -> WORD.matcher(sentence).results().count() > WORDS_OF_A_FIRST_SENTENCE)
        .map(sentence -> Documents.home().relativize(file) + ": " + sentence);
  }

  private static String use(Path file, MatchResult word) {
    return "%s, character %d: %s"
        .formatted(Documents.home().relativize(file), word.start(), word.group());
  }

  /** Without the classes of others, which would take most of the time. */
  private static JavaClasses classes(String module) {
    Path classes = Documents.home().resolve(module).resolve("target").resolve("classes");
    return ArchConfiguration.withThreadLocalScope(
        configuration -> {
          configuration.setResolveMissingDependenciesFromClassPath(false);
          return new ClassFileImporter().importPath(classes);
        });
  }

  private static Collector<Path, ?, List<String>> names() {
    return Collectors.mapping(Path::toString, Collectors.toList());
  }

  private static String packageOf(Path file) {
    String folder = Documents.home().relativize(file.getParent()).toString();
    return folder.replace(File.separatorChar, '.').replace(".src.main.java.", ": ");
  }
}
