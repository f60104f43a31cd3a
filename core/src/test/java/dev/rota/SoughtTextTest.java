package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.rota.control.Redrive;
import dev.rota.control.TaskFilter;
import dev.rota.history.HistoryFilter;
import dev.rota.insight.ErrorQuery;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests that search texts that no task can have are refused, and match no other task. */
@RotaTest
class SoughtTextTest {

  private static final ErrorQuery EVER = ErrorQuery.between(Instant.EPOCH, Instant.now());

  @Given private RotaFixture fixture;
  @Given private Tenant acme;

  @Test
  void halfACharacterDoesNotStandForAQuestionMark() {
    acme.enqueue(NewTask.of("k", "{}").withKey("a?"));
    for (String text : List.of("a\ud83d", "a\0")) {
      refused("key", () -> acme.control().cancel(TaskFilter.all().key(text), "not wanted"));
      refused("kind", () -> acme.control().cancel(TaskFilter.all().kind(text), "not wanted"));
      refused("key", () -> acme.control().requestCancel(TaskFilter.all().key(text), "not wanted"));
      refused("key", () -> acme.control().changePriority(TaskFilter.all().key(text), 1));
      refused("error", () -> acme.control().redrive(Redrive.all().error(text)));
      refused("kind", () -> acme.history().page(HistoryFilter.all().kind(text)));
      refused(
          "kind",
          () -> acme.history().recent(HistoryFilter.all().kind(text), Duration.ofSeconds(1)));
      refused("kind", () -> fixture.rota().insight().errors(EVER.kind(text)));
      refused("kind", () -> acme.history().scanErrorGroups(HistoryFilter.all().kind(text)));
    }
    assertThat(acme.claim(1).tasks()).hasSize(1);
  }

  private static void refused(String what, Runnable action) {
    assertThatIllegalArgumentException()
        .isThrownBy(action::run)
        .withMessageStartingWith(what + " to look for has a ");
  }
}
