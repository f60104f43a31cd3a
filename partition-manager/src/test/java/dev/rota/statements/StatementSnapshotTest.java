package dev.rota.statements;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.internal.sql.Sql;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The text of every statement, rendered for tenant 7, equals its snapshot. To change a statement on
 * purpose, copy the file that a failure of this test writes over the snapshot. Reviewers then see
 * the change as the server will.
 */
class StatementSnapshotTest {

  private static final Path SNAPSHOT =
      Path.of("..", "sql", "src", "test", "resources", "dev", "rota", "db", "snapshot.sql");
  private static final Path ACTUAL = Path.of("target", "snapshot.sql");

  private final Places places = new Places(7, 3);

  @Test
  void everyStatementEqualsItsSnapshot() throws Exception {
    String actual =
        Constants.all().stream()
            .map(this::block)
            .distinct()
            .sorted()
            .collect(Collectors.joining("\n"));
    Files.writeString(ACTUAL, actual);
    assertThat(actual.lines())
        .as("statements in %s", ACTUAL.toAbsolutePath())
        .containsExactlyElementsOf(Files.readAllLines(SNAPSHOT));
  }

  private String block(Sql statement) {
    String text = statement.on(places.of(statement.call(), statement.text()));
    return "-- " + statement.call() + "\n" + text + "\n";
  }
}
