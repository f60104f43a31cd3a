package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Measures the sizes of files, methods and constructors in main code, each with a bound. */
class SizesTest {

  private static final int MEDIAN_OF_METHODS = 6;
  private static final int NEARLY_ALL_METHODS = 45;
  private static final int LONGEST_FILE = 570;
  private static final int SMALL_FILE = 25;
  private static final int MOST_PARAMETERS = 5;

  /** Of so many files one may be small. */
  private static final int FILES_TO_A_SMALL_ONE = 10;

  private static final List<Path> FILES = Sources.java().toList();

  @Test
  @Tag("exhaustive")
  void methodsAreShort() throws IOException {
    int[] lines =
        MethodSizes.of(FILES).methods().stream()
            .mapToInt(MethodSizes.Method::lines)
            .sorted()
            .toArray();
    int median = lines[lines.length / 2];
    int nearlyAll = lines[lines.length * 99 / 100];
    System.out.printf(
        "lines of %d methods: median %d, p99 %d, most %d%n",
        lines.length, median, nearlyAll, lines[lines.length - 1]);
    assertThat(median).as("median of the lines of methods").isLessThanOrEqualTo(MEDIAN_OF_METHODS);
    assertThat(nearlyAll).as("p99 of the lines of methods").isLessThanOrEqualTo(NEARLY_ALL_METHODS);
  }

  @Test
  void constructorsTakeAHandfulOfParameters() throws IOException {
    List<String> found =
        MethodSizes.of(FILES).constructors().stream()
            .filter(constructor -> constructor.parameters() > MOST_PARAMETERS)
            .map(constructor -> constructor.name() + ", " + constructor.parameters())
            .toList();
    System.out.printf("constructors with more than %d parameters: %s%n", MOST_PARAMETERS, found);
    assertThat(found).isEmpty();
  }

  @Test
  void filesAreNotLong() {
    int longest = FILES.stream().mapToInt(SizesTest::lines).max().orElseThrow();
    System.out.printf("lines of the longest file: %d, bound %d%n", longest, LONGEST_FILE);
    assertThat(FILES)
        .filteredOn(file -> lines(file) > LONGEST_FILE)
        .as("files with more than %d lines", LONGEST_FILE)
        .isEmpty();
  }

  /** A reader has to open a file for each type: few are worth one with so little in it. */
  @Test
  void fewFilesAreSmall() {
    List<Path> small = FILES.stream().filter(file -> lines(file) < SMALL_FILE).toList();
    int bound = FILES.size() / FILES_TO_A_SMALL_ONE;
    System.out.printf(
        "files under %d lines: %d of %d, bound %d%n",
        SMALL_FILE, small.size(), FILES.size(), bound);
    assertThat(small).as("files under %d lines", SMALL_FILE).hasSizeLessThanOrEqualTo(bound);
  }

  private static int lines(Path file) {
    return (int) Sources.text(file).lines().count();
  }
}
