package dev.rota.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.RotaFixture;
import dev.rota.TaskState;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.testing.Await;
import dev.rota.testing.Documents;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that the examples in docs/keys.md are these compiled ones, and run. */
class KeysTest {

  private static final String EXAMPLE = "core/src/test/java/dev/rota/docs/KeysExample.java";

  @ParameterizedTest
  @ValueSource(strings = {"once", "versions"})
  void showsTheCompiledExamples(String region) {
    assertThat(Documents.blocks("docs/keys.md", "java"))
        .contains(Documents.region(EXAMPLE, region));
  }

  @Test
  void examplesRun() throws Exception {
    try (RotaFixture fixture = RotaFixture.open()) {
      Tenant acme = fixture.rota().tenants().register("acme");
      assertThat(KeysExample.order(acme, "{}")).isZero();
      List<String> indexed = new CopyOnWriteArrayList<>();
      try (Worker worker = KeysExample.index(fixture.rota(), acme, indexed::add)) {
        Await.until("done", () -> worker.statistics().done(), 1);
      }
      assertThat(indexed).containsExactly("text of version 18");
      assertThat(acme.history().scanStates()).containsEntry(TaskState.PENDING, 2L);
    }
  }
}
