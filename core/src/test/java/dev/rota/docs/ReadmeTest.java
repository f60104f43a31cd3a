package dev.rota.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.TaskState;
import dev.rota.testing.Documents;
import dev.rota.testing.TestDatabase;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests that the example in README.md is this compiled one, and runs. */
class ReadmeTest {

  private static final String EXAMPLE = "core/src/test/java/dev/rota/docs/ReadmeExample.java";

  @Test
  void showsTheCompiledExample() {
    assertThat(Documents.blocks("README.md", "java"))
        .contains(Documents.region(EXAMPLE, "embedding"));
  }

  /** A reader sees in one screen what Rota is, how to use it and how to try it. */
  @Test
  void takesOneScreen() {
    List<String> lines = Documents.text("README.md").lines().toList();
    assertThat(lines).hasSizeLessThanOrEqualTo(60);
    assertThat(lines.indexOf("```java")).isBetween(0, 24);
    assertThat(Documents.blocks("README.md", "sh")).singleElement().asString().hasLineCount(2);
  }

  @Test
  @Tag("exhaustive")
  void exampleRuns() throws SQLException {
    CountDownLatch sent = new CountDownLatch(2);
    CountDownLatch indexed = new CountDownLatch(3);
    try (TestDatabase database = TestDatabase.create()) {
      ReadmeExample example =
          new ReadmeExample(
              database.dataSource(),
              payload -> sent.countDown(),
              tasks -> tasks.forEach(task -> indexed.countDown()),
              () -> assertThat(await(sent) && await(indexed)).isTrue());
      List<NewTask> tasks =
          List.of(
              NewTask.of("search.index", "1"),
              NewTask.of("search.index", "2"),
              NewTask.of("search.index", "3"));

      example.run("{}", tasks);

      try (Rota rota = Rota.connect(database.jdbcUrl())) {
        assertThat(rota.tenants().get("acme").history().scanStates())
            .containsEntry(TaskState.DONE, 5L);
      }
    }
  }

  private static boolean await(CountDownLatch latch) {
    try {
      return latch.await(30, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
