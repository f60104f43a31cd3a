package dev.rota.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.internal.Claim.Standing;
import dev.rota.internal.worker.Agenda.Visit;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which tenants a worker visits, by what counters, doorbells and earlier visits tell. */
class AgendaTest {

  private static final int TENANT = 4;
  private static final int SLOT_1 = 1 << 1;
  private static final int SLOT_2 = 1 << 2;

  private final Agenda agenda = new Agenda(10, 2);

  /** A first visit sets the balance. */
  @BeforeEach
  void visitOnce() {
    agenda.recount(TENANT, SLOT_1);
    agenda.visited(next(), 0, Standing.EMPTY);
  }

  @Test
  void whatWasCountedIsVisited() {
    agenda.counted(TENANT, SLOT_1, 1);
    assertThat(next().slots()).isEqualTo(SLOT_1);
  }

  @Test
  void theCountOfWhatWasTakenIsNoReasonForAVisit() {
    takePromptly(3);
    agenda.counted(TENANT, SLOT_1, 2);
    agenda.counted(TENANT, SLOT_1, 1);
    assertThat(due()).isEmpty();
    agenda.counted(TENANT, SLOT_1, 1);
    assertThat(due()).hasSize(1);
  }

  @Test
  void theCountOfOneSlotIsNotTakenForThatOfAnother() {
    takePromptly(1);
    agenda.counted(TENANT, SLOT_2, 1);
    assertThat(due()).isEmpty();
    agenda.counted(TENANT, SLOT_1, 1);
    assertThat(next().slots()).isEqualTo(SLOT_1 | SLOT_2);
  }

  @Test
  void whatIsCountedDuringAVisitIsSetAgainstIt() {
    agenda.changed(TENANT, SLOT_1);
    Visit visit = next();
    agenda.counted(TENANT, SLOT_1, 1);
    agenda.visited(visit, 1, Standing.EMPTY);
    assertThat(due()).isEmpty();
  }

  @Test
  void aVisitThatMissedWhatIsCountedIsRepeated() {
    agenda.changed(TENANT, SLOT_1);
    Visit visit = next();
    agenda.counted(TENANT, SLOT_1, 1);
    agenda.visited(visit, 0, Standing.EMPTY);
    assertThat(next().slots()).isEqualTo(SLOT_1);
  }

  @Test
  void aDoorbellDuringAVisitMeansAnother() {
    agenda.changed(TENANT, SLOT_1);
    Visit visit = next();
    agenda.changed(TENANT, SLOT_1);
    agenda.visited(visit, 1, Standing.EMPTY);
    assertThat(due()).hasSize(1);
  }

  @Test
  void whatOthersTookIsForgottenAfterAVisitInVain() {
    agenda.counted(TENANT, SLOT_1, 100);
    agenda.visited(next(), 0, Standing.EMPTY);
    takePromptly(1);
    agenda.counted(TENANT, SLOT_1, 1);
    assertThat(due()).isEmpty();
  }

  @Test
  void nothingIsSetAgainstCountsThatStartAnew() {
    takePromptly(5);
    agenda.recount(TENANT, SLOT_1);
    agenda.visited(next(), 0, Standing.EMPTY);
    agenda.counted(TENANT, SLOT_1, 1);
    assertThat(due()).hasSize(1);
  }

  @Test
  void whatMayBeBehindTheHintIsLookedForAfterASecond() throws InterruptedException {
    agenda.counted(TENANT, SLOT_1, 3);
    agenda.visited(next(), 2, Standing.CAUGHT_UP);
    assertThat(due()).isEmpty();
    assertThat(agenda.await(0, TimeUnit.MINUTES.toNanos(1))).isTrue();
    assertThat(next().slots()).isEqualTo(SLOT_1);
  }

  @Test
  void nothingIsBehindTheHintWhenAllThatWasCountedIsClaimed() throws InterruptedException {
    agenda.counted(TENANT, SLOT_1, 3);
    agenda.visited(next(), 3, Standing.CAUGHT_UP);
    assertThat(agenda.await(0, TimeUnit.SECONDS.toNanos(2))).isFalse();
  }

  @Test
  void aVisitDuringWhichCountsStartAnewSettlesNothing() {
    agenda.changed(TENANT, SLOT_1);
    Visit early = next();
    agenda.recount(TENANT, SLOT_1);
    agenda.visited(early, 0, Standing.EMPTY);
    agenda.visited(next(), 5, Standing.EMPTY);
    agenda.counted(TENANT, SLOT_2, 1);
    assertThat(next().slots()).isEqualTo(SLOT_2);
  }

  @Test
  void slotsThatWereSetAsideAreVisitedWhenCountsStartAnew() {
    takePromptly(1);
    agenda.counted(TENANT, SLOT_2, 1);
    assertThat(due()).isEmpty();
    agenda.recount(TENANT, SLOT_1);
    assertThat(next().slots()).isEqualTo(SLOT_1 | SLOT_2);
  }

  @Test
  void whatIsBehindTheHintOfOneSlotIsFoundWhenTheOtherIsCounted() {
    agenda.counted(TENANT, SLOT_1, 1);
    agenda.changed(TENANT, SLOT_2);
    agenda.visited(next(), 1, Standing.CAUGHT_UP);
    assertThat(due()).isEmpty();
    agenda.counted(TENANT, SLOT_2, 1);
    assertThat(next().slots()).isEqualTo(SLOT_1 | SLOT_2);
  }

  @Test
  void aTenantWithMoreTakesItsTurnAgain() {
    agenda.changed(TENANT, SLOT_1);
    agenda.visited(next(), 10, Standing.MORE);
    assertThat(next().slots()).isEqualTo(SLOT_1);
  }

  @Test
  void aVisitorLeavesTheTenantsOfAnotherForAWhile() throws InterruptedException {
    agenda.changed(TENANT, SLOT_1);
    assertThat(agenda.take(1, 10, 10)).isEmpty();
    assertThat(agenda.await(1, Long.MAX_VALUE)).isTrue();
    assertThat(agenda.take(1, 10, 10)).hasSize(1);
  }

  /** A visit of the doorbell, before the counters show anything. */
  private void takePromptly(int tasks) {
    agenda.changed(TENANT, SLOT_1);
    agenda.visited(next(), tasks, Standing.EMPTY);
  }

  private Visit next() {
    List<Visit> due = due();
    assertThat(due).hasSize(1);
    return due.get(0);
  }

  private List<Visit> due() {
    return agenda.take(0, 10, 10);
  }
}
