package dev.rota.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.NewTask;
import dev.rota.RotaFixture;
import dev.rota.TaskState;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.testing.Await;
import dev.rota.testing.Documents;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that the examples in docs/retries.md are these compiled ones, and run. */
class RetriesTest {

  private static final String EXAMPLE = "core/src/test/java/dev/rota/docs/RetriesExample.java";

  @ParameterizedTest
  @ValueSource(strings = {"delays", "policies", "signals", "redrive", "hung", "cancel", "running"})
  void showsTheCompiledExamples(String region) {
    assertThat(Documents.blocks("docs/retries.md", "java"))
        .contains(Documents.region(EXAMPLE, region));
  }

  @Test
  void examplesRun() throws Exception {
    try (RotaFixture fixture = RotaFixture.open()) {
      Tenant acme = fixture.rota().tenants().register("acme");
      RetriesExample.enqueue(acme, "{}");
      acme.enqueueAll(
          List.of(
              NewTask.of("sms.send", "SENT"),
              NewTask.of("sms.send", "BUSY"),
              NewTask.of("sms.send", "NO_SUCH_NUMBER"),
              NewTask.of("report.build", "broken"),
              NewTask.of("cache.warm", "broken")));
      try (Worker worker = RetriesExample.work(fixture.rota(), new Broken())) {
        Await.until(
            "all ended",
            () -> {
              var seen = worker.statistics();
              return seen.done() == 1 && seen.failed() == 2 && seen.dead() == 2;
            });
      }
      assertThat(RetriesExample.redrive(acme)).isEqualTo(1);
      assertThat(acme.history().scanStates())
          .containsEntry(TaskState.WAITING, 5L)
          .containsEntry(TaskState.DEAD, 1L);
      RetriesExample.cancel(acme, reminders(acme));
      assertThat(acme.history().scanStates())
          .containsEntry(TaskState.WAITING, 5L)
          .containsEntry(TaskState.CANCELLED, 1L);
      assertThat(RetriesExample.hung(fixture.rota(), acme, new Broken())).isZero();
      assertThat(RetriesExample.running(fixture.rota(), acme, new Broken())).isZero();
    }
  }

  private static List<Long> reminders(Tenant acme) {
    return List.of(acme.enqueue(NewTask.of("order.remind", "{}")), -1L);
  }

  /** Answers what the payload says, and can do nothing else. */
  private static final class Broken implements RetriesExample.Gateway {

    @Override
    public Answer send(String payload) {
      return Answer.valueOf(payload);
    }

    @Override
    public List<String> parts(String payload) {
      return List.of(payload);
    }

    @Override
    public void build(String payload) {
      throw new IllegalStateException(payload);
    }

    @Override
    public void warm(String payload) {
      throw new IllegalStateException(payload);
    }
  }
}
