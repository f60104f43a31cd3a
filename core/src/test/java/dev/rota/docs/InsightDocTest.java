package dev.rota.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Batch;
import dev.rota.NewTask;
import dev.rota.RotaFixture;
import dev.rota.Tenant;
import dev.rota.testing.Documents;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Tests that the examples in docs/insight.md are these compiled ones, and run. */
class InsightDocTest {

  private static final String SOURCE = "core/src/test/java/dev/rota/docs/InsightExample.java";

  @Test
  void showsTheCompiledExamples() {
    assertThat(Documents.blocks("docs/insight.md", "java"))
        .containsExactly(Documents.region(SOURCE, "insight"), Documents.region(SOURCE, "recent"));
  }

  @Test
  void examplesRun() {
    try (RotaFixture fixture = RotaFixture.open()) {
      Tenant acme = fixture.rota().tenants().register("acme");
      acme.enqueue(NewTask.of("k", "{}"));
      try (Batch batch = acme.claim(1)) {
        batch.dead(batch.tasks().get(0), "broken");
        batch.settle();
      }
      InsightExample.print(fixture.rota());
      InsightExample.printDead(acme, Duration.ofMillis(120));
    }
  }
}
