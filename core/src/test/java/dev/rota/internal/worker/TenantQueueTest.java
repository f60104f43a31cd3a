package dev.rota.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.internal.claim.ClaimRequest.ClaimResult.RingState;
import dev.rota.internal.claim.TaskRules;
import dev.rota.internal.worker.TenantQueue.ClaimSlot;
import dev.rota.internal.worker.TenantQueue.Visit;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests which tenants a worker visits, by counters, doorbells and earlier visits. */
class TenantQueueTest {

  private static final int TENANT = 4;
  private static final int SLOT_1 = 1 << 1;
  private static final int SLOT_2 = 1 << 2;

  private final AtomicLong now = new AtomicLong();
  private final TenantQueues queues =
      new TenantQueues(1, 10, 2, new Flows(8, 0, now::get), now::get);
  private final TenantQueue queue = queues.of(0);

  /** A first visit sets the balance. */
  @BeforeEach
  void visitOnce() {
    queue.recount(TENANT, SLOT_1);
    queue.visited(next(), 0, RingState.EMPTY);
  }

  @Test
  void whatWasCountedIsVisited() {
    queue.counted(TENANT, SLOT_1, 1);
    assertThat(next().slots()).isEqualTo(SLOT_1);
  }

  @Test
  void theCountOfWhatWasTakenIsNoReasonForAVisit() {
    takePromptly(3);
    queue.counted(TENANT, SLOT_1, 2);
    queue.counted(TENANT, SLOT_1, 1);
    assertThat(due()).isEmpty();
    queue.counted(TENANT, SLOT_1, 1);
    assertThat(due()).hasSize(1);
  }

  @Test
  void theTenantThatHasHadTheLeastComesFirst() {
    queue.goBy(order(Map.of(TENANT, 3.0, TENANT + 2, 1.0, TENANT + 4, 2.0), Set.of()));
    for (int tenant = TENANT; tenant <= TENANT + 4; tenant += 2) {
      queue.changed(tenant, SLOT_1);
    }
    assertThat(queue.take(0, 2, 10))
        .extracting(Visit::tenant)
        .containsExactly(TENANT + 2, TENANT + 4);
    assertThat(queue.take(0, 2, 10)).extracting(Visit::tenant).containsExactly(TENANT);
  }

  @Test
  void aTenantOfWhichEnoughIsHeldIsLeftOutUntilItIsNot() {
    Set<Integer> sated = new HashSet<>(Set.of(TENANT));
    queue.goBy(order(Map.of(), sated));
    queue.changed(TENANT, SLOT_1);
    assertThat(queue.isDue(0)).isFalse();
    queue.changed(TENANT + 2, SLOT_1);
    assertThat(queue.take(0, 2, 10)).extracting(Visit::tenant).containsExactly(TENANT + 2);
    sated.clear();
    assertThat(queue.take(0, 2, 10)).extracting(Visit::tenant).containsExactly(TENANT);
  }

  @Test
  void tenantsThatAreNotServedAreForgottenOnceNothingIsToBeDoneForThem() {
    queue.changed(TENANT + 2, SLOT_1);
    queue.changed(TENANT + 4, SLOT_1);
    queue.take(0, 1, 1).forEach(visit -> queue.visited(visit, 10, RingState.CAUGHT_UP));
    Visit visit = next();
    queue.changed(TENANT + 6, SLOT_1);
    assertThat(known()).containsExactlyInAnyOrder(4, 6, 8, 10);
    queues.forgetAllBut(Set.of(1));
    assertThat(known()).as("with a plan, visited, queued").containsExactlyInAnyOrder(6, 8, 10);
    queue.visited(visit, 0, RingState.EMPTY);
    queues.forgetAllBut(Set.of(1));
    assertThat(known()).containsExactlyInAnyOrder(6, 10);
    queues.apply(paused(Set.of(10), Set.of()), List.of(Set.of("k")));
    queues.forgetAllBut(Set.of(1));
    assertThat(known()).containsExactlyInAnyOrder(6);
    queues.forgetAllBut(Set.of(1));
    assertThat(known()).as("as many as are served").hasSize(1);
  }

  private List<Integer> known() {
    return queue.tenants().stream().map(QueuedTenant::number).toList();
  }

  @Test
  void aPausedTenantIsNotVisitedUntilItIsResumed() {
    queue.changed(TENANT, SLOT_1);
    queue.changed(TENANT + 2, SLOT_1);
    queues.apply(paused(Set.of(TENANT, TENANT + 4), Set.of()), List.of(Set.of("k")));
    queue.changed(TENANT + 4, SLOT_1);
    assertThat(queue.take(0, 5, 10)).extracting(Visit::tenant).containsExactly(TENANT + 2);
    assertThat(queue.isDue(0)).isFalse();
    queues.apply(TaskRules.NONE, List.of(Set.of("k")));
    assertThat(queue.take(0, 5, 10)).extracting(Visit::tenant).containsExactly(TENANT, TENANT + 4);
  }

  @Test
  void aTenantIsVisitedForTheKindsThatAreNotPaused() {
    queue.changed(TENANT, SLOT_1);
    TaskRules rules = paused(Set.of(), Set.of("k"));
    queues.apply(rules, List.of(Set.of("k")));
    assertThat(queue.isDue(0)).isFalse();
    queues.apply(TaskRules.NONE, List.of(Set.of("k")));
    queues.apply(rules, List.of(Set.of("k", "l")));
    assertThat(queue.isDue(0)).isTrue();
  }

  @Test
  void aVisitUnderWayWhenItsTenantIsPausedIsTheLast() {
    queue.changed(TENANT, SLOT_1);
    Visit visit = next();
    queues.apply(paused(Set.of(TENANT), Set.of()), List.of(Set.of("k")));
    queue.visited(visit, 10, RingState.MORE);
    assertThat(queue.isDue(0)).isFalse();
    queues.apply(TaskRules.NONE, List.of(Set.of("k")));
    assertThat(queue.isDue(0)).isTrue();
  }

  private static TaskRules paused(Set<Integer> tenants, Set<String> kinds) {
    return tenant -> new TaskRules.Pauses(tenants.contains(tenant), kinds, Set.of());
  }

  private static TenantQueue.Order order(Map<Integer, Double> tags, Set<Integer> sated) {
    return new TenantQueue.Order() {
      @Override
      public double tag(int tenant) {
        return tags.getOrDefault(tenant, 0.0);
      }

      @Override
      public boolean isSated(int tenant) {
        return sated.contains(tenant);
      }
    };
  }

  /** The gate of a tenant lets one in at a time. */
  @Test
  void groupsOfKindsVisitATenantOneAfterTheOther() throws Exception {
    TenantQueues groups = new TenantQueues(2, 10, 1, new Flows(8, 0, now::get), now::get);
    groups.changed(TENANT, SLOT_1);
    assertThat(groups.await(0, 0)).containsExactly(0, 1);
    Visit visit = groups.of(0).take(0, 10, 10).get(0);
    assertThat(groups.await(0, 0)).isEmpty();
    assertThat(groups.of(1).take(0, 10, 10)).isEmpty();
    groups.changed(TENANT + 1, SLOT_1);
    assertThat(groups.of(1).take(0, 10, 10)).extracting(Visit::tenant).containsExactly(TENANT + 1);
    pass(1);
    groups.of(0).visited(visit, 10, RingState.MORE);
    assertThat(groups.await(0, 0)).as("who waits longer comes first").containsExactly(1, 0);
    assertThat(groups.of(1).take(0, 10, 10)).extracting(Visit::tenant).containsExactly(TENANT);
  }

  @Test
  void longVisitsInVainForOneOfSeveralGroupsAreSpared() throws Exception {
    TenantQueues groups = new TenantQueues(2, 10, 1, new Flows(8, 0, now::get), now::get);
    TenantQueue rare = groups.of(1);
    rare.changed(TENANT, SLOT_1);
    Visit visit = rare.take(0, 10, 10).get(0);
    pass(20);
    rare.changed(TENANT, SLOT_2);
    rare.visited(visit, 0, RingState.EMPTY);
    pass(199);
    assertThat(groups.await(0, 0)).isEmpty();
    pass(51);
    assertThat(groups.await(0, 0)).containsExactly(1);
    assertThat(rare.take(0, 10, 10)).containsExactly(new Visit(TENANT, SLOT_2));
  }

  @Test
  void theCountOfOneSlotIsNotTakenForThatOfAnother() {
    takePromptly(1);
    queue.counted(TENANT, SLOT_2, 1);
    assertThat(due()).isEmpty();
    queue.counted(TENANT, SLOT_1, 1);
    assertThat(next().slots()).isEqualTo(SLOT_1 | SLOT_2);
  }

  @Test
  void whatIsCountedDuringAVisitIsSetAgainstIt() {
    queue.changed(TENANT, SLOT_1);
    Visit visit = next();
    queue.counted(TENANT, SLOT_1, 1);
    queue.visited(visit, 1, RingState.EMPTY);
    assertThat(due()).isEmpty();
  }

  @Test
  void aVisitThatMissedWhatIsCountedIsRepeated() {
    queue.changed(TENANT, SLOT_1);
    Visit visit = next();
    queue.counted(TENANT, SLOT_1, 1);
    queue.visited(visit, 0, RingState.EMPTY);
    assertThat(next().slots()).isEqualTo(SLOT_1);
  }

  @Test
  void aDoorbellDuringAVisitMeansAnother() {
    queue.changed(TENANT, SLOT_1);
    Visit visit = next();
    queue.changed(TENANT, SLOT_1);
    queue.visited(visit, 1, RingState.EMPTY);
    assertThat(due()).hasSize(1);
  }

  @Test
  void whatOthersTookIsForgottenAfterAVisitInVain() {
    queue.counted(TENANT, SLOT_1, 100);
    queue.visited(next(), 0, RingState.EMPTY);
    takePromptly(1);
    queue.counted(TENANT, SLOT_1, 1);
    assertThat(due()).isEmpty();
  }

  @Test
  void nothingIsSetAgainstCountsThatStartAnew() {
    takePromptly(5);
    queue.recount(TENANT, SLOT_1);
    queue.visited(next(), 0, RingState.EMPTY);
    queue.counted(TENANT, SLOT_1, 1);
    assertThat(due()).hasSize(1);
  }

  @Test
  void whatMayBeBehindTheHintIsLookedForAfterASecond() {
    queue.counted(TENANT, SLOT_1, 3);
    queue.visited(next(), 2, RingState.CAUGHT_UP);
    pass(999);
    assertThat(due()).isEmpty();
    assertThat(queue.nanosToNext(0)).isBetween(1_000_000L, 251_000_000L);
    pass(251);
    assertThat(next().slots()).isEqualTo(SLOT_1);
  }

  @Test
  void nothingIsBehindTheHintWhenAllThatWasCountedIsClaimed() {
    queue.counted(TENANT, SLOT_1, 3);
    queue.visited(next(), 3, RingState.CAUGHT_UP);
    assertThat(queue.nanosToNext(0)).isEqualTo(Long.MAX_VALUE);
    pass(2_000);
    assertThat(due()).isEmpty();
  }

  @Test
  void aVisitDuringWhichCountsStartAnewSettlesNothing() {
    queue.changed(TENANT, SLOT_1);
    Visit early = next();
    queue.recount(TENANT, SLOT_1);
    queue.visited(early, 0, RingState.EMPTY);
    queue.visited(next(), 5, RingState.EMPTY);
    queue.counted(TENANT, SLOT_2, 1);
    assertThat(next().slots()).isEqualTo(SLOT_2);
  }

  @Test
  void slotsThatWereSetAsideAreVisitedWhenCountsStartAnew() {
    takePromptly(1);
    queue.counted(TENANT, SLOT_2, 1);
    assertThat(due()).isEmpty();
    queue.recount(TENANT, SLOT_1);
    assertThat(next().slots()).isEqualTo(SLOT_1 | SLOT_2);
  }

  @Test
  void whatIsBehindTheHintOfOneSlotIsFoundWhenTheOtherIsCounted() {
    queue.counted(TENANT, SLOT_1, 1);
    queue.changed(TENANT, SLOT_2);
    queue.visited(next(), 1, RingState.CAUGHT_UP);
    assertThat(due()).isEmpty();
    queue.counted(TENANT, SLOT_2, 1);
    assertThat(next().slots()).isEqualTo(SLOT_1 | SLOT_2);
  }

  @Test
  void aTenantWithMoreTakesItsTurnAgain() {
    queue.changed(TENANT, SLOT_1);
    queue.visited(next(), 10, RingState.MORE);
    assertThat(next().slots()).isEqualTo(SLOT_1);
  }

  @Test
  void aTenantOfWhichAllThatWasCountedIsClaimedWaitsForASecond() {
    queue.counted(TENANT, SLOT_1, 10);
    queue.visited(next(), 10, RingState.MORE);
    pass(999);
    assertThat(due()).isEmpty();
    pass(251);
    assertThat(next().slots()).isEqualTo(SLOT_1);
  }

  @Test
  void aTenantOfWhichMoreWasCountedThanIsClaimedTakesItsTurnAgain() {
    queue.counted(TENANT, SLOT_1, 11);
    queue.visited(next(), 10, RingState.MORE);
    assertThat(next().slots()).isEqualTo(SLOT_1);
  }

  @Test
  void aCountOrADoorbellEndsTheWaitOfATenantWithMore() {
    queue.counted(TENANT, SLOT_1, 10);
    queue.visited(next(), 10, RingState.MORE);
    queue.counted(TENANT, SLOT_1, 10);
    Visit visit = next();
    queue.changed(TENANT, SLOT_2);
    queue.visited(visit, 10, RingState.MORE);
    assertThat(next().slots()).isEqualTo(SLOT_1 | SLOT_2);
  }

  @Test
  void aTenantThatIsGoneIsNotVisitedAgain() {
    queue.changed(TENANT, SLOT_1);
    Visit visit = next();
    queue.changed(TENANT, SLOT_2);
    queue.gone(visit);
    assertThat(due()).isEmpty();
    queue.changed(TENANT, SLOT_1);
    assertThat(next().slots()).isEqualTo(SLOT_1);
  }

  @Test
  void aVisitorLeavesTheTenantsOfAnotherForAWhile() {
    queue.changed(TENANT, SLOT_1);
    pass(5);
    assertThat(queue.take(1, 10, 10)).isEmpty();
    assertThat(queue.nanosToNext(1)).isEqualTo(5_000_000);
    pass(1);
    assertThat(queue.take(1, 10, 10)).hasSize(1);
  }

  @Test
  void aVisitorHelpsOutWithFewTenantsAndWithOthersWhenTheyWaitForHalfASecond() {
    fillPlacesOfGuests();
    queue.changed(TENANT, SLOT_1);
    queue.changed(guest(3), SLOT_1);
    pass(6);
    List<Visit> taken = queue.take(1, 10, 10);
    assertThat(taken).extracting(Visit::tenant).containsExactly(guest(3));
    queue.visited(taken.get(0), 0, RingState.EMPTY);
    pass(444);
    comeForNothing(0);
    pass(50);
    assertThat(queue.take(1, 10, 10)).isEmpty();
    pass(1);
    taken = queue.take(1, 10, 10);
    assertThat(taken).extracting(Visit::tenant).containsExactly(TENANT);
    queue.visited(taken.get(0), 0, RingState.EMPTY);
    help(TENANT);
  }

  @Test
  void aVisitorHelpsOutWithAllTenantsOfOneThatIsStuck() {
    fillPlacesOfGuests();
    queue.changed(TENANT, SLOT_1);
    pass(100);
    assertThat(queue.take(1, 10, 10)).isEmpty();
    pass(1);
    assertThat(queue.take(1, 10, 10)).extracting(Visit::tenant).containsExactly(TENANT);
  }

  @Test
  void aVisitorThatHadNothingToDoIsNotStuck() {
    fillPlacesOfGuests();
    comeForNothing(0);
    pass(1_000);
    queue.changed(TENANT, SLOT_1);
    pass(100);
    assertThat(queue.take(1, 10, 10)).isEmpty();
  }

  @Test
  void aVisitorThatComesIsNotStuck() {
    fillPlacesOfGuests();
    queue.changed(TENANT, SLOT_1);
    pass(100);
    comeForNothing(0);
    pass(100);
    assertThat(queue.take(1, 10, 10)).isEmpty();
    pass(1);
    assertThat(queue.take(1, 10, 10)).hasSize(1);
  }

  @Test
  void tenantsThatAVisitorCannotTakeAreNoReasonToWakeIt() throws InterruptedException {
    fillPlacesOfGuests();
    queue.changed(TENANT, SLOT_1);
    pass(6);
    assertThat(queue.isDue(1)).isFalse();
    assertThat(queues.await(0, 0)).containsExactly(0);
  }

  @Test
  void aVisitorHelpsOutWithOneTenantMoreAfterAWhile() {
    fillPlacesOfGuests();
    pass(20_000);
    help(TENANT);
    queue.changed(TENANT + 2, SLOT_1);
    pass(6);
    assertThat(queue.take(1, 10, 10)).isEmpty();
  }

  @Test
  void aVisitorHelpsOutWithOthersAfterAWhile() {
    fillPlacesOfGuests();
    pass(TimeUnit.MINUTES.toMillis(10));
    for (int i = 0; i < ClaimSlot.FIRST_GUESTS; i++) {
      help(guest(ClaimSlot.FIRST_GUESTS + i));
    }
    queue.changed(guest(0), SLOT_1);
    pass(6);
    assertThat(queue.take(1, 10, 10)).isEmpty();
  }

  @Test
  void whoWaitsWakesByItselfWhenATurnComes() throws InterruptedException {
    TenantQueues real =
        new TenantQueues(1, 10, 2, new Flows(8, 0, System::nanoTime), System::nanoTime);
    real.changed(TENANT, SLOT_1);
    assertThat(real.await(1, Long.MAX_VALUE)).containsExactly(0);
    Visit visit = real.of(0).take(1, 10, 10).get(0);
    real.of(0).visited(visit, 0, RingState.BUSY);
    assertThat(real.await(0, Long.MAX_VALUE)).containsExactly(0);
  }

  private void comeForNothing(int visitor) {
    assertThat(queue.take(visitor, 0, 10)).isEmpty();
  }

  private void fillPlacesOfGuests() {
    for (int i = 0; i < ClaimSlot.FIRST_GUESTS; i++) {
      help(guest(i));
    }
  }

  private static int guest(int number) {
    return 100 + 2 * number;
  }

  /** The second visitor takes a tenant of the first. */
  private void help(int tenant) {
    queue.changed(tenant, SLOT_1);
    pass(6);
    List<Visit> taken = queue.take(1, 10, 10);
    assertThat(taken).extracting(Visit::tenant).containsExactly(tenant);
    queue.visited(taken.get(0), 0, RingState.EMPTY);
  }

  private void pass(long millis) {
    now.addAndGet(TimeUnit.MILLISECONDS.toNanos(millis));
  }

  /** A visit of the doorbell, before the counters show anything. */
  private void takePromptly(int tasks) {
    queue.changed(TENANT, SLOT_1);
    queue.visited(next(), tasks, RingState.EMPTY);
  }

  private Visit next() {
    List<Visit> due = due();
    assertThat(due).hasSize(1);
    return due.get(0);
  }

  private List<Visit> due() {
    return queue.take(0, 10, 10);
  }
}
