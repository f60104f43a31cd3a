package dev.rota.statements;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests that statements are in files, each used by one class. */
class SqlInSourcesTest {

  private static final Path MAIN = Path.of("src", "main", "java");
  private static final List<Path> SOURCES =
      List.of(
          Path.of("..", "core").resolve(MAIN),
          MAIN,
          Path.of("..", "integrations", "junit").resolve(MAIN));
  private static final Path FILES =
      Path.of("..", "sql", "src", "main", "resources", "dev", "rota", "db", "statements");

  private static final Pattern COMMENT = Pattern.compile("/\\*.*?\\*/|//[^\n]*", Pattern.DOTALL);
  private static final Pattern LITERAL =
      Pattern.compile("\"\"\".*?\"\"\"|\"(?:[^\"\\\\\n]|\\\\.)*\"", Pattern.DOTALL);
  private static final Pattern STATEMENT =
      Pattern.compile(
          "^\"+\\s*(select|insert into|update|delete from|with \\w+ as)\\s"
              + "|\\b(insert into|delete from)\\s|\\bselect\\s.*\\sfrom\\s",
          Pattern.DOTALL);

  /** Comments and literals of SQL. */
  private static final Pattern NO_SQL =
      Pattern.compile("--[^\n]*|\\$\\w*\\$.*?\\$\\w*\\$|'[^']*'", Pattern.DOTALL);

  private static final Pattern USE =
      Pattern.compile("Sql\\s*\\.named\\(\\s*(\"[a-z_]+\"(?:,\\s*\"[a-z_]+\")*)\\s*\\)");
  private static final Pattern PART = Pattern.compile("^-- (name|option): ([a-z_]+)$");

  /** Classes with SQL in Java, each with its reason. May become fewer. */
  private static final Map<String, String> ALLOWED =
      Map.ofEntries(
          Map.entry("TenantDdl", "generates DDL"),
          Map.entry("LedgerDdl", "generates DDL"),
          Map.entry("LaneSql", "generates an insertion for each lane of a tenant"),
          Map.entry("TenantRegistry", "an expression in a query that jOOQ builds"),
          Map.entry("Greeting", "reaches no server"),
          Map.entry("DefaultForeignHistory", "DuckDB writes the files that PostgreSQL reads"),
          Map.entry("Staging", "DuckDB"),
          Map.entry("SortedParts", "DuckDB"),
          Map.entry("SegmentFacts", "DuckDB"),
          Map.entry("DuckDbFile", "DuckDB"),
          Map.entry("SegmentLoader", "DuckDB"),
          Map.entry("RowFile", "DuckDB"),
          Map.entry("StateImporter", "DuckDB"),
          Map.entry("RestoredFile", "DuckDB"),
          Map.entry("RowLoader", "DuckDB"));

  @Test
  void sqlStandsInFiles() throws IOException {
    Set<String> found = new TreeSet<>();
    for (Path source : sources()) {
      String code = COMMENT.matcher(Files.readString(source)).replaceAll("");
      if (LITERAL.matcher(code).results().anyMatch(SqlInSourcesTest::isStatement)) {
        found.add(source.getFileName().toString().replace(".java", ""));
      }
    }
    assertThat(found).containsExactlyInAnyOrderElementsOf(ALLOWED.keySet());
  }

  @Test
  void everyStatementIsAskedForOnce() throws IOException {
    List<String> names = new ArrayList<>(uses().keySet());
    assertThat(parts("name")).containsExactlyInAnyOrderElementsOf(names);
  }

  /** Each statement has one result: a pipeline could not tell to which one others belong. */
  @Test
  void everyStatementIsOne() throws IOException {
    List<String> several = new ArrayList<>();
    try (Stream<Path> files = Files.list(FILES)) {
      for (Path file : files.toList()) {
        String texts = NO_SQL.matcher(Files.readString(file)).replaceAll("");
        if (texts.contains(";")) {
          several.add(file.getFileName().toString());
        }
      }
    }
    assertThat(several).isEmpty();
  }

  @Test
  void everyOptionIsUsed() throws IOException {
    Set<String> used = new HashSet<>();
    uses().values().forEach(used::addAll);
    assertThat(used).containsExactlyInAnyOrderElementsOf(new HashSet<>(parts("option")));
  }

  /** The options with which each statement is asked for; fails if that is done twice. */
  private static Map<String, Set<String>> uses() throws IOException {
    Map<String, Set<String>> uses = new HashMap<>();
    Map<String, Path> classes = new HashMap<>();
    Set<String> calls = new HashSet<>();
    for (Path source : sources()) {
      for (MatchResult use : USE.matcher(Files.readString(source)).results().toList()) {
        List<String> words = List.of(use.group(1).replaceAll("[\"\\s]", "").split(",", -1));
        assertThat(calls.add(String.join(" ", words))).as("%s, used once", words).isTrue();
        assertThat(classes.putIfAbsent(words.get(0), source)).isIn(null, source);
        uses.computeIfAbsent(words.get(0), unused -> new HashSet<>())
            .addAll(words.subList(1, words.size()));
      }
    }
    return uses;
  }

  private static boolean isStatement(MatchResult literal) {
    return STATEMENT.matcher(literal.group()).find();
  }

  private static List<String> parts(String kind) throws IOException {
    List<String> parts = new ArrayList<>();
    try (Stream<Path> files = Files.list(FILES)) {
      for (Path file : files.toList()) {
        Files.readAllLines(file).stream()
            .map(PART::matcher)
            .filter(line -> line.matches() && line.group(1).equals(kind))
            .forEach(line -> parts.add(line.group(2)));
      }
    }
    return parts;
  }

  private static List<Path> sources() throws IOException {
    List<Path> all = new ArrayList<>();
    for (Path root : SOURCES) {
      try (Stream<Path> files = Files.walk(root)) {
        files.filter(file -> file.toString().endsWith(".java")).forEach(all::add);
      }
    }
    return all;
  }
}
