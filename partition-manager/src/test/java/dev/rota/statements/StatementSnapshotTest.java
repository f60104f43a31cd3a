package dev.rota.statements;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.internal.sql.Sql;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The text of every statement, rendered for tenant 7 with one lane and with three, equals its
 * snapshot. To change a statement on purpose, copy the file that a failure of this test writes over
 * the snapshot. Reviewers then see the change as the server will.
 */
@Tag("exhaustive")
class StatementSnapshotTest {

  private static final Path SNAPSHOT =
      Path.of("..", "sql", "src", "test", "resources", "dev", "rota", "db", "snapshot.sql");
  private static final Path ACTUAL = Path.of("target", "snapshot.sql");

  @Test
  void everyStatementEqualsItsSnapshot() throws Exception {
    String actual =
        Stream.of(new Places(7, 1), new Places(7, 3))
            .flatMap(places -> Constants.all().stream().map(statement -> block(statement, places)))
            .distinct()
            .sorted()
            .collect(Collectors.joining("\n"));
    Files.writeString(ACTUAL, actual);
    assertThat(actual.lines())
        .as("statements in %s", ACTUAL.toAbsolutePath())
        .containsExactlyElementsOf(Files.readAllLines(SNAPSHOT));
  }

  private static String block(Sql statement, Places places) {
    return "-- " + statement.call() + "\n" + places.render(statement) + "\n";
  }
}
