package dev.rota.crash.campaign.audit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.TaskState;
import dev.rota.crash.accounts.Disturbances;
import dev.rota.crash.campaign.audit.CampaignVerdict.Charge;
import dev.rota.crash.campaign.audit.CampaignVerdict.Count;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Tests the audit of tasks that ran again: only an event that can have ended a lease explains that.
 */
class RepeatedRunsTest extends WrittenAccounts {

  private void ranTwice(TaskState first) throws IOException {
    ranTwice(first, FINISHED_AT);
  }

  private void ranTwice(TaskState first, long firstFinishedAt) throws IOException {
    enqueued(SUCCEEDS);
    runs("worker-1-1", run('b', 10_000, SUCCEEDS, 1));
    runs("worker-2-1", run('b', 13_000, SUCCEEDS, 2), run('s', 13_001, SUCCEEDS, 2));
    history(SUCCEEDS, new RerunExplanations.Row(TASK, 1, first, firstFinishedAt));
    ended(SUCCEEDS, 2, TaskState.DONE);
  }

  @Test
  void aRunAgainAfterAFaultInsideItsLeaseIsExplained() throws Exception {
    disturbances.add("KILL_WORKER", "worker-1-1", 10_050, 10_060);
    ranTwice(TaskState.LOST);
    assertThat(assertClean().explanations()).containsExactly(Map.entry("KILL_WORKER", 1L));
  }

  @Test
  void aRunAgainWithoutAFaultIsADuplicate() throws Exception {
    ranTwice(TaskState.LOST);
    assertOnly(Charge.DUPLICATED);
  }

  @Test
  void aFaultOfAnotherProcessExplainsNothing() throws Exception {
    disturbances.add("KILL_WORKER", "worker-2-1", 10_050, 10_060);
    ranTwice(TaskState.LOST);
    assertOnly(Charge.DUPLICATED);
  }

  @Test
  void aFaultBeforeTheLeaseOrAfterTheSecondRunExplainsNothing() throws Exception {
    disturbances.add("KILL_WORKER", "worker-1-1", 5_000, 7_999);
    disturbances.add("KILL_WORKER", "worker-1-1", 13_001, 13_002);
    ranTwice(TaskState.LOST);
    assertOnly(Charge.DUPLICATED);
  }

  /** Frozen, awake for less than a lease, frozen again: then it runs what it held from before. */
  @Test
  void timeInWhichTheProcessWasFrozenDoesNotCount() throws Exception {
    disturbances.add("FREEZE_WORKER", "worker-1-1", 2_000, 5_000);
    disturbances.add("FREEZE_WORKER", "worker-1-1", 5_600, 9_900);
    ranTwice(TaskState.LOST, 4_000);
    assertThat(assertClean().explanations()).containsOnlyKeys("FREEZE_WORKER");
  }

  @Test
  void timeInWhichAnotherProcessWasFrozenCounts() throws Exception {
    disturbances.add("FREEZE_WORKER", "worker-1-1", 2_000, 5_000);
    disturbances.add("FREEZE_WORKER", "worker-2-1", 5_600, 9_900);
    ranTwice(TaskState.LOST, 4_000);
    assertOnly(Charge.DUPLICATED);
  }

  @Test
  void aFaultRightBeforeTheSecondRunExplainsNothing() throws Exception {
    disturbances.add("KILL_SERVER", Disturbances.ALL, 12_800, 12_900);
    ranTwice(TaskState.LOST);
    assertOnly(Charge.DUPLICATED);
  }

  @Test
  void aFaultTooSoonBeforeTheBatchWasLostExplainsNothing() throws Exception {
    disturbances.add("KILL_WORKER", "worker-1-1", FINISHED_AT - 1_199, FINISHED_AT);
    ranTwice(TaskState.LOST);
    assertOnly(Charge.DUPLICATED);
  }

  @Test
  void aFaultIsInTimeIfALeaseCanEndInBetween() throws Exception {
    disturbances.add("KILL_WORKER", "worker-1-1", FINISHED_AT - 1_200, FINISHED_AT);
    ranTwice(TaskState.LOST);
    assertThat(assertClean().explanations()).containsOnlyKeys("KILL_WORKER");
  }

  @Test
  void aLostAttemptThatRunsAgainUnderItsNumberIsADuplicate() throws Exception {
    disturbances.add("KILL_SERVER", Disturbances.ALL, 10_050, 10_060);
    enqueued(SUCCEEDS);
    runs("worker-1-1", run('b', 10_000, SUCCEEDS, 1));
    runs("worker-2-1", run('b', 10_010, SUCCEEDS, 1));
    runs("worker-2-2", run('b', 13_000, SUCCEEDS, 2), run('s', 13_001, SUCCEEDS, 2));
    ended(SUCCEEDS, 1, TaskState.LOST);
    ended(SUCCEEDS, 2, TaskState.DONE);
    assertOnly(Charge.DUPLICATED);
  }

  @Test
  void theFaultOfTheProcessIsNamedBeforeThatOfAll() throws Exception {
    disturbances.add("KILL_SERVER", Disturbances.ALL, 9_000, 9_100);
    disturbances.add("KILL_WORKER", "worker-1-1", 10_050, 10_060);
    ranTwice(TaskState.LOST);
    assertThat(assertClean().explanations()).containsOnlyKeys("KILL_WORKER");
  }

  @Test
  void aFaultDoesNotExplainARunAgainOfWhatWasNotReturned() throws Exception {
    disturbances.add("KILL_SERVER", Disturbances.ALL, 10_050, 10_060);
    ranTwice(TaskState.FAILED);
    assertOnly(Charge.DUPLICATED);
  }

  /** The first of its workers wrote down only at these times that it was awake. */
  private void ranTwiceAsItSlept(long from, long to) throws IOException {
    enqueued(SUCCEEDS);
    runs("worker-1-1", "p " + from, run('b', from + 100, SUCCEEDS, 1), "p " + to);
    runs("worker-2-1", run('b', 11_400, SUCCEEDS, 2), run('s', 11_401, SUCCEEDS, 2));
    ended(SUCCEEDS, 1, TaskState.LOST);
    ended(SUCCEEDS, 2, TaskState.DONE);
  }

  @Test
  void aSleepOfTheProcessIsAFault() throws Exception {
    ranTwiceAsItSlept(9_000, 11_500);
    assertThat(assertClean().explanations()).containsOnlyKeys(Disturbances.PAUSE);
  }

  @Test
  void aSleepThatIsTooShortToEndALeaseExplainsNothing() throws Exception {
    ranTwiceAsItSlept(10_000, 11_200);
    assertOnly(Charge.DUPLICATED);
  }

  @Test
  void aSleepExplainsOnlyWhatNoFaultDoes() throws Exception {
    disturbances.add("KILL_SERVER", Disturbances.ALL, 10_050, 10_060);
    ranTwiceAsItSlept(9_000, 11_500);
    assertThat(assertClean().explanations()).containsOnlyKeys("KILL_SERVER");
  }

  @Test
  void oneAttemptThatRunsTwiceIsADuplicate() throws Exception {
    enqueued(SUCCEEDS);
    runs("worker-1-1", run('b', 1, SUCCEEDS, 1), run('s', 2, SUCCEEDS, 1));
    runs("worker-2-1", run('b', 3, SUCCEEDS, 1), run('s', 4, SUCCEEDS, 1));
    ended(SUCCEEDS, 1, TaskState.DONE);
    assertOnly(Charge.DUPLICATED);
  }

  @Test
  void whatWasHandedBackMayRunAgain() throws Exception {
    enqueued(SUCCEEDS);
    runs("worker-1-1", run('b', 1, SUCCEEDS, 1), run('r', 2, SUCCEEDS, 1));
    runs("worker-2-1", run('b', 3, SUCCEEDS, 1), run('s', 4, SUCCEEDS, 1));
    ended(SUCCEEDS, 1, TaskState.RELEASED);
    ended(SUCCEEDS, 1, TaskState.DONE);
    assertThat(assertClean().counted(Count.EXPLAINED)).isZero();
  }

  @Test
  void aFailureThatIsRepeatedOnceTooOftenIsADuplicate() throws Exception {
    enqueued(FAILS_ONCE);
    runs("worker-1-1", run('b', 1, FAILS_ONCE, 1), run('e', 2, FAILS_ONCE, 1));
    runs("worker-2-1", run('b', 3, FAILS_ONCE, 1), run('e', 4, FAILS_ONCE, 1));
    runs("worker-1-2", run('b', 5, FAILS_ONCE, 2), run('s', 6, FAILS_ONCE, 2));
    ended(FAILS_ONCE, 1, TaskState.FAILED);
    ended(FAILS_ONCE, 2, TaskState.DONE);
    assertOnly(Charge.DUPLICATED);
  }
}
