package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rota.Batch.SettleResult;
import dev.rota.internal.DefaultRota;
import dev.rota.internal.Kernel;
import dev.rota.internal.claim.ClaimRequest;
import dev.rota.internal.claim.ClaimRequest.ClaimResult;
import dev.rota.internal.settle.ClaimedBatch;
import dev.rota.internal.settle.ClaimedBatch.BatchEnd;
import dev.rota.internal.settle.ClaimedBatch.BatchLocation;
import dev.rota.internal.settle.ClaimedBatch.Settlement;
import dev.rota.internal.settle.ClaimedTask.Outcome;
import dev.rota.internal.settle.Settler;
import dev.rota.testing.Faults;
import dev.rota.testing.Faults.Moment;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests lost leases and lost answers: a batch is settled at most once, by its holder. */
@RotaTest
class LeaseTest {

  private final Faults faults = new Faults();
  @Given private RotaFixture fixture;
  private Rota rota;
  private Tenant acme;

  @BeforeEach
  void open() {
    rota = fixture.observed(faults);
    acme = rota.tenants().register("acme");
  }

  @Test
  void aBatchThatSomebodyElseClosedSettlesNothing() throws SQLException {
    acme.enqueueAll(Collections.nCopies(3, NewTask.of("k", "{}")));
    Batch zombie = acme.claim(3);
    zombie.fail(zombie.tasks().get(0), "too late", Duration.ZERO);
    zombie.dead(zombie.tasks().get(1), "too late");
    abandon(zombie.id());

    assertThat(zombie.settle()).isEqualTo(new SettleResult(0, 3));
    assertThat(zombie.settle().leaseLost()).isTrue();
    assertThat(fixture.texts("select distinct error from rota_1.task_hist_1_1"))
        .containsExactly("the holder is dead");
    assertThat(fixture.number("select count(*) from rota_1.task_wait_1")).isZero();
    assertThat(fixture.number("select ended from rota.task_batch")).isEqualTo(2);

    Batch again = acme.claim(10);
    assertThat(again.tasks()).extracting(Task::attempt).containsExactly(2, 2, 2);
    assertThat(again.settle()).isEqualTo(new SettleResult(3, 0));
    assertThat(acme.history().scanStates())
        .containsEntry(TaskState.LOST, 3L)
        .containsEntry(TaskState.DONE, 3L)
        .containsEntry(TaskState.PENDING, 0L);
  }

  @Test
  void closingABatchThatSomebodyElseClosedReturnsNothingTwice() throws SQLException {
    acme.enqueue(NewTask.of("k", "{}"));
    Batch zombie = acme.claim(1);
    abandon(zombie.id());
    zombie.close();
    assertThat(fixture.number("select count(*) from rota_1.task_init_1_0")).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({
    "BEFORE, close batches, false", "AFTER, close batches, false",
    "BEFORE, retry, false", "AFTER, retry, false",
    "BEFORE, mark, false", "AFTER, mark, false",
    "BEFORE, commit, true", "AFTER, commit, true"
  })
  @Tag("exhaustive")
  void settlingAgainAfterALostConnectionIsSafe(Moment moment, String call, boolean unknown)
      throws SQLException {
    acme.enqueueAll(Collections.nCopies(3, NewTask.of("k", "{}")));
    Batch batch = acme.claim(3);
    batch.fail(batch.tasks().get(0), "again", Duration.ofHours(1));
    batch.dead(batch.tasks().get(1), "no more");
    faults.at(moment, call).byThisThread().fail();

    assertThatThrownBy(batch::settle)
        .isInstanceOfSatisfying(
            DatabaseException.class,
            e ->
                assertThat(e.outcomeUnknown()).isEqualTo(unknown).isEqualTo(call.equals("commit")));
    assertThat(batch.settle()).isEqualTo(new SettleResult(3, 0));

    assertThat(fixture.number("select count(*) from rota_1.task_wait_1")).isEqualTo(1);
    assertThat(fixture.texts("select state from rota_1.task_hist_1_1 order by state"))
        .containsExactly("0", "2", "3");
    assertThat(acme.history().scanStates())
        .containsEntry(TaskState.DONE, 1L)
        .containsEntry(TaskState.FAILED, 1L)
        .containsEntry(TaskState.DEAD, 1L)
        .containsEntry(TaskState.WAITING, 1L);
  }

  /**
   * The batch closes in the flush of the COMMIT, so that every failure leaves it open or closed.
   */
  @ParameterizedTest
  @CsvSource({"BEFORE, close batches", "AFTER, close batches", "BEFORE, commit", "AFTER, commit"})
  @Tag("exhaustive")
  void settlingSuccessesAgainAfterALostConnectionIsSafe(Moment moment, String call)
      throws SQLException {
    acme.enqueueAll(Collections.nCopies(3, NewTask.of("k", "{}")));
    Batch batch = acme.claim(3);
    faults.at(moment, call).byThisThread().fail();

    assertThatThrownBy(batch::settle)
        .isInstanceOfSatisfying(
            DatabaseException.class, e -> assertThat(e.outcomeUnknown()).isTrue());
    assertThat(batch.settle()).isEqualTo(new SettleResult(3, 0));

    assertThat(fixture.number("select count(*) from rota.task_batch where ended = 1")).isEqualTo(1);
    assertThat(acme.history().scanStates())
        .containsEntry(TaskState.DONE, 3L)
        .containsEntry(TaskState.PENDING, 0L);
  }

  @Test
  void successesOfLostAndHeldBatchesAreToldApart() throws SQLException {
    acme.enqueueAll(Collections.nCopies(9, NewTask.of("k", "{}")));
    List<Settlement> settlements = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      settlements.add(new Settlement(claim(3), List.of(), true));
    }
    abandon(settlements.get(1).batch().id());

    Settler settler = DefaultRota.kernelOf(rota).settler();
    for (int time = 0; time < 2; time++) {
      assertThat(settler.settle(settlements).owned())
          .containsExactlyInAnyOrder(
              settlements.get(0).batch().id(), settlements.get(2).batch().id());
    }
    assertThat(acme.history().scanStates())
        .containsEntry(TaskState.DONE, 6L)
        .containsEntry(TaskState.LOST, 3L)
        .containsEntry(TaskState.PENDING, 3L);
  }

  @Test
  void closingAfterASettleWhoseAnswerWasLostHandsNothingBack() throws SQLException {
    acme.enqueue(NewTask.of("k", "{}"));
    Batch batch = acme.claim(1);
    faults.after("commit").byThisThread().loseAnswer();
    assertThatThrownBy(batch::settle).isInstanceOf(DatabaseException.class);
    batch.close();
    assertThat(acme.history().scanStates())
        .containsEntry(TaskState.DONE, 1L)
        .containsEntry(TaskState.PENDING, 0L);
  }

  @Test
  void whatWasSettledMeanwhileIsNotRepeated() throws SQLException {
    acme.enqueueAll(Collections.nCopies(10, NewTask.of("k", "{}")));
    ClaimedBatch batch = claim(10);
    List<Outcome> done = batch.tasks().stream().limit(3).map(Outcome::done).toList();
    Settler settler = DefaultRota.kernelOf(rota).settler();
    assertThat(settler.settle(List.of(new Settlement(batch, done, false))).owned())
        .containsExactly(batch.id());
    assertThat(acme.history().scanStates())
        .containsEntry(TaskState.DONE, 3L)
        .containsEntry(TaskState.RUNNING, 7L);

    abandon(batch.id());
    assertThat(settler.settle(List.of(new Settlement(batch, done, false))).owned()).isEmpty();
    assertThat(settler.settle(List.of(new Settlement(batch, List.of(), true))).owned()).isEmpty();
    assertThat(acme.history().scanStates())
        .containsEntry(TaskState.DONE, 3L)
        .containsEntry(TaskState.LOST, 7L)
        .containsEntry(TaskState.PENDING, 7L);
  }

  @Test
  void manyBatchesSettleInOneTransaction() throws SQLException {
    acme.enqueueAll(Collections.nCopies(50, NewTask.of("k", "{}")));
    List<Settlement> settlements = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      ClaimedBatch batch = claim(5);
      Outcome dead = Outcome.dead(batch.tasks().get(0), "dead");
      settlements.add(new Settlement(batch, List.of(dead), true));
    }
    long lost = settlements.get(4).batch().id();
    abandon(lost);

    assertThat(DefaultRota.kernelOf(rota).settler().settle(settlements).owned())
        .hasSize(9)
        .doesNotContain(lost);
    assertThat(
            fixture.texts(
                "select count(*) || ' by ' || count(distinct closed_at) from rota.task_batch"
                    + " where ended = 1"))
        .containsExactly("9 by 1");
    assertThat(acme.history().scanStates())
        .containsEntry(TaskState.DONE, 36L)
        .containsEntry(TaskState.DEAD, 9L)
        .containsEntry(TaskState.LOST, 5L)
        .containsEntry(TaskState.PENDING, 5L);
  }

  @Test
  void theHolderIsListedWhileItHoldsAndNoLonger() throws SQLException {
    assertThat(fixture.number("select count(*) from rota.worker")).isZero();
    acme.enqueue(NewTask.of("k", "{}"));
    Batch batch = acme.claim(1);
    assertThat(
            fixture.texts(
                "select lease from rota.worker w join rota.task_batch b on b.worker = w.id"
                    + " where w.heartbeat_at > now() - w.lease and b.closed_at is null"))
        .containsExactly("00:00:30");
    batch.settle();
    rota.close();
    assertThat(fixture.number("select count(*) from rota.worker")).isZero();
  }

  private ClaimedBatch claim(int max) {
    Kernel kernel = DefaultRota.kernelOf(rota);
    ClaimRequest request =
        new ClaimRequest(kernel.registry().get(acme.number()), max, ClaimRequest.ALL_SLOTS, true);
    List<ClaimResult> claims =
        kernel.claimers().claimer(null, BatchEnd.OPEN).claim(List.of(request));
    return claims.get(0).batch();
  }

  /** As the daemon does when a holder is dead, from another process. */
  private void abandon(long batch) {
    Kernel daemon = DefaultRota.kernelOf(fixture.rota());
    int returned =
        daemon
            .database()
            .transaction(
                "abandon",
                session -> {
                  BatchLocation row =
                      LedgerRows.find(session, daemon.tables(), "where b.id = ?", batch).get(0);
                  return daemon.batchReturn().abandon(session, row, "the holder is dead");
                });
    assertThat(returned).isPositive();
  }
}
