package dev.rota.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SqlFilesTest {

  private static final Path FOLDER =
      Path.of("..", "sql", "src", "main", "resources", "dev", "rota", "db", "statements");

  /** A header, and the comments below it. */
  private static final Pattern SECTION =
      Pattern.compile("^-- (?:name|fragment|option): ([a-z_]+)\n((?:--.*\n)*)", Pattern.MULTILINE);

  @Test
  void allFilesOfTheFolderAreRead() throws IOException {
    try (Stream<Path> files = Files.list(FOLDER)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrderElementsOf(
              SqlFiles.NAMES.stream().map(name -> name + ".sql").toList());
    }
  }

  @Test
  void everyStatementAndEveryPartHasAPurpose() throws IOException {
    List<String> without = new ArrayList<>();
    for (String name : SqlFiles.NAMES) {
      Matcher section = SECTION.matcher(Files.readString(FOLDER.resolve(name + ".sql")));
      while (section.find()) {
        if (!section.group(2).replaceAll("-- call: .*\n", "").matches("(?s)-- [A-Z].*\\.\n")) {
          without.add(name + ": " + section.group(1));
        }
      }
    }
    assertThat(without).isEmpty();
  }

  @Test
  void everyStatementIsFoundByItsName() {
    assertThat(SqlFiles.all()).hasSizeGreaterThan(250);
    assertThat(SqlFiles.all())
        .allSatisfy(
            statement -> {
              Sql sql = Sql.named(statement.name());
              assertThat(sql.call()).isEqualTo(statement.call());
              assertThat(sql.text()).isNotBlank().doesNotContain("--");
            });
  }
}
