package dev.rota.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.RotaFixture;
import dev.rota.Task;
import dev.rota.Tenant;
import dev.rota.testing.Documents;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that the examples in docs/priorities.md are these compiled ones, and run. */
class PrioritiesTest {

  private static final String EXAMPLE = "core/src/test/java/dev/rota/docs/PrioritiesExample.java";

  @ParameterizedTest
  @ValueSource(strings = {"enqueue", "share", "change"})
  void showsTheCompiledExamples(String region) {
    assertThat(Documents.blocks("docs/priorities.md", "java"))
        .contains(Documents.region(EXAMPLE, region));
  }

  @Test
  void examplesRun() {
    try (RotaFixture fixture = RotaFixture.open();
        Rota fifth = PrioritiesExample.share(fixture.database().dataSource())) {
      Tenant acme = fixture.rota().tenants().register("acme");
      PrioritiesExample.enqueue(acme, "{}");
      List<Long> ids =
          acme.claim(10).tasks().stream()
              .filter(task -> task.priority() < 0)
              .map(Task::id)
              .toList();
      assertThat(ids).hasSize(1);
      List<Long> printed =
          acme.enqueueAll(Collections.nCopies(10, NewTask.of("invoice.print", "{}")));
      PrioritiesExample.change(acme, printed.subList(0, 5));
      assertThat(fifth.tenants().get("acme").claim(5).tasks())
          .extracting(Task::priority)
          .containsExactly(50, 50, 50, 50, -10);
      assertThat(acme.claim(10).tasks())
          .extracting(Task::priority)
          .containsExactly(50, -10, -10, -10, -10);
    }
  }
}
