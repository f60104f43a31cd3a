package dev.rota.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.NewTask;
import dev.rota.RotaFixture;
import dev.rota.TaskState;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.history.RetentionPolicy;
import dev.rota.testing.Await;
import dev.rota.testing.Documents;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that the examples in docs/history.md are these compiled ones, and run. */
class HistoryDocumentTest {

  private static final String EXAMPLE = "core/src/test/java/dev/rota/docs/HistoryExample.java";

  @ParameterizedTest
  @ValueSource(strings = {"keep", "read", "replay", "statistics"})
  void showsTheCompiledExamples(String region) {
    assertThat(Documents.blocks("docs/history.md", "java"))
        .contains(Documents.region(EXAMPLE, region));
  }

  @Test
  void examplesRun() throws Exception {
    try (RotaFixture fixture = RotaFixture.open()) {
      Tenant acme = fixture.rota().tenants().register("acme");
      HistoryExample.keep(acme);
      acme.enqueue(NewTask.of("sms.send", "{}"));
      Instant later = Instant.parse("2200-01-01T00:00:00Z");
      try (Worker worker = HistoryExample.work(fixture.rota(), acme, payload -> {}, later)) {
        Await.until("it is done", () -> worker.statistics().done(), 1);
      }
      assertThat(acme.history().statistics(Instant.EPOCH, later))
          .singleElement()
          .satisfies(row -> assertThat(row.ended().done()).isEqualTo(1));
      HistoryExample.read(acme, Instant.EPOCH, later);
      HistoryExample.replay(acme, Instant.EPOCH, later);
      assertThat(acme.history().scanStates()).containsEntry(TaskState.WAITING, 1L);
      assertThat(acme.history().retention()).isEqualTo(RetentionPolicy.defaults());
    }
  }
}
