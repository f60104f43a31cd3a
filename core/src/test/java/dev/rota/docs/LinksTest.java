package dev.rota.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.testing.Documents;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests that every link between documents, and from them to sources, has a target. */
class LinksTest {

  private static final Pattern FENCED = Pattern.compile("(?ms)^```.*?^```$");
  private static final Pattern CODE = Pattern.compile("`[^`\\n]*`");
  private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
  private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} +(.+?)$");
  private static final Pattern ABSOLUTE = Pattern.compile("[a-z]+:.*");

  @Test
  void everyRelativeLinkLeadsSomewhere() throws IOException {
    List<String> broken = new ArrayList<>();
    int checked = 0;
    for (Path document : documents()) {
      for (String target : links(document)) {
        checked++;
        if (!leadsSomewhere(document, target)) {
          broken.add(Documents.home().relativize(document) + " -> " + target);
        }
      }
    }
    assertThat(broken).isEmpty();
    assertThat(checked).isPositive();
  }

  @Test
  void headingsBecomeAnchorsAsOnGitHub() {
    assertThat(anchor("What each setting costs")).isEqualTo("what-each-setting-costs");
    assertThat(anchor("`rota status`, and SQL")).isEqualTo("rota-status-and-sql");
  }

  /** The site's menu is the only way to a page for a reader who does not search. */
  @Test
  void theMenuOfTheSiteNamesEveryDocument() throws IOException {
    String menu = Documents.text("docs/.vitepress/config.mjs");
    try (Stream<Path> files = Files.list(Documents.home().resolve("docs"))) {
      assertThat(
              files.map(file -> file.getFileName().toString()).filter(name -> name.endsWith(".md")))
          .isNotEmpty()
          .allSatisfy(name -> assertThat(menu).contains("'" + name.replace(".md", "") + "'"));
    }
  }

  private static List<Path> documents() throws IOException {
    List<Path> documents = new ArrayList<>();
    for (String folder : List.of("", "docs", "docs/examples", "benchmarks", "benchmarks/results")) {
      try (Stream<Path> files = Files.list(Documents.home().resolve(folder))) {
        files.filter(file -> file.toString().endsWith(".md")).sorted().forEach(documents::add);
      }
    }
    return documents;
  }

  private static List<String> links(Path document) throws IOException {
    String text = FENCED.matcher(Files.readString(document)).replaceAll("");
    Matcher link = LINK.matcher(CODE.matcher(text).replaceAll(""));
    return link.results()
        .map(result -> result.group(1))
        .filter(target -> !ABSOLUTE.matcher(target).matches())
        .toList();
  }

  private static boolean leadsSomewhere(Path document, String target) throws IOException {
    int hash = target.indexOf('#');
    String path = hash < 0 ? target : target.substring(0, hash);
    Path file = path.isEmpty() ? document : document.resolveSibling(path).normalize();
    return Files.exists(file) && (hash < 0 || anchors(file).contains(target.substring(hash + 1)));
  }

  private static Set<String> anchors(Path document) throws IOException {
    Set<String> anchors = new HashSet<>();
    String text = FENCED.matcher(Files.readString(document)).replaceAll("");
    Matcher heading = HEADING.matcher(text);
    while (heading.find()) {
      anchors.add(anchor(heading.group(1)));
    }
    return anchors;
  }

  private static String anchor(String heading) {
    String kept = heading.toLowerCase(Locale.ROOT).replaceAll("[^\\p{L}\\p{N} _-]", "");
    return kept.strip().replace(' ', '-');
  }
}
