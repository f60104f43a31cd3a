package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.internal.RotaBuilder;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests that a task before the block at which claims start is found. */
@RotaTest
@Tag("exhaustive")
class HintTest {

  private static final String PENDING =
      "insert into rota_1.task_init_1_0 (id, created_at, attempt, kind, payload)"
          + " select n, now(), 0, 'k', '{}' from generate_series(%d, %d) n";

  @Given private RotaFixture fixture;
  @Given private Tenant acme;

  @Test
  void aClaimIsNeverEmptyWhileATaskIsVisible() throws SQLException {
    for (int round = 1; round <= 8; round++) {
      fixture.execute(PENDING.formatted(1, 5_000));
      assertThat(acme.claim(10_000).tasks()).hasSize(5_000);
      fixture.execute("vacuum rota_1.task_init_1_0");
      insertAtTheFront(round);
      assertThat(claim(1)).containsExactly((long) round);
    }
  }

  @Test
  void aTaskBehindTheHintIsClaimedWithinASecondThoughTheSlotIsFull() throws SQLException {
    AtomicLong now = new AtomicLong();
    acme =
        fixture.another(builder -> RotaBuilder.nanoTime(builder, now::get)).tenants().get("acme");
    fixture.execute(PENDING.formatted(1, 200_000));
    assertThat(acme.claim(10_000).tasks()).hasSize(10_000);
    fixture.execute("vacuum rota_1.task_init_1_0");
    // The next claim starts at what this one found.
    assertThat(claim(20)).hasSize(20);
    for (int round = 1; round <= 3; round++) {
      insertAtTheFront(-round);
      assertThat(claim(20)).hasSize(20).doesNotContain((long) -round);
      now.addAndGet(999_999_999);
      assertThat(claim(20)).hasSize(20).doesNotContain((long) -round);
      now.addAndGet(1);
      assertThat(claim(20)).hasSize(20).contains((long) -round);
      // It led back to the front.
      assertThat(claim(20)).hasSize(20);
    }
  }

  private void insertAtTheFront(long id) throws SQLException {
    fixture.execute(PENDING.formatted(id, id));
    assertThat(fixture.texts("select ctid < '(40,0)' from rota_1.task_init_1_0 where id = " + id))
        .containsExactly("t");
  }

  private List<Long> claim(int max) {
    return acme.claim(max).tasks().stream().map(Task::id).toList();
  }
}
