package dev.rota.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Batch;
import dev.rota.RotaFixture;
import dev.rota.Task;
import dev.rota.TaskState;
import dev.rota.Tenant;
import dev.rota.graph.EnqueuedGraph;
import dev.rota.testing.Await;
import dev.rota.testing.Documents;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Tests that the examples in docs/dependencies.md are these compiled ones, and run. */
class DependenciesTest {

  private static final String DOCUMENT = "docs/dependencies.md";
  private static final String EXAMPLE = "core/src/test/java/dev/rota/docs/DependenciesExample.java";

  @ParameterizedTest
  @ValueSource(strings = {"graph", "policies", "later", "progress"})
  void showsTheCompiledExamples(String region) {
    assertThat(Documents.blocks(DOCUMENT, "java")).contains(Documents.region(EXAMPLE, region));
  }

  @Test
  void examplesRun() throws Exception {
    try (RotaFixture fixture = RotaFixture.open()) {
      Tenant acme = fixture.rota().tenants().register("acme");
      EnqueuedGraph film = DependenciesExample.enqueue(acme, "{}");
      PGSimpleDataSource dataSource = new PGSimpleDataSource();
      dataSource.setUrl(fixture.database().jdbcUrl());
      DependenciesExample.later(acme, film, dataSource, "{}");
      assertThat(runAll(acme, "none"))
          .containsExactly(
              "film.fetch", "film.picture", "film.sound", "film.publish", "film.subtitles");

      acme.graphs().enqueue(DependenciesExample.policies("{}"));
      List<String> ran = runAll(acme, "order.charge");
      Await.until(
          "the news is spread", () -> acme.history().scanStates().get(TaskState.CANCELLED), 2);
      ran.addAll(runAll(acme, "none"));
      assertThat(ran).containsExactlyInAnyOrder("order.charge", "order.unlock", "order.file");

      EnqueuedGraph broken = DependenciesExample.enqueue(acme, "{}");
      runAll(acme, "film.picture");
      int graphs = 4;
      assertThat(DependenciesExample.progress(acme, broken))
          .isEqualTo(graphs + broken.taskIds().size());
      Await.until(
          "the news is spread", () -> acme.history().scanStates().get(TaskState.CANCELLED), 3);
    }
  }

  @Test
  void queriesOfTheDocumentRun() throws Exception {
    try (RotaFixture fixture = RotaFixture.open()) {
      Tenant acme = fixture.rota().tenants().register("acme");
      DependenciesExample.enqueue(acme, "{}");
      List<String> queries = Documents.blocks(DOCUMENT, "sql monitoring");
      assertThat(queries).hasSize(1);
      for (String query : queries.get(0).replace("_7", "_1").split(";\n\n", 2)) {
        assertThat(fixture.texts(query)).as(query).isNotEmpty();
      }
    }
  }

  private static List<String> runAll(Tenant acme, String dies) {
    List<String> kinds = new ArrayList<>();
    for (Batch batch = acme.claim(10); !batch.tasks().isEmpty(); batch = acme.claim(10)) {
      batch.tasks().stream().map(Task::kind).sorted().forEach(kinds::add);
      for (Task task : batch) {
        if (task.kind().equals(dies)) {
          batch.dead(task, "broken");
        }
      }
      batch.settle();
    }
    return kinds;
  }
}
