package dev.rota.crash.campaign.audit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.DeliveryMode;
import dev.rota.TaskState;
import dev.rota.crash.accounts.Disturbances;
import dev.rota.crash.campaign.audit.CampaignVerdict.Charge;
import dev.rota.crash.campaign.audit.CampaignVerdict.Count;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Tests the audit by accounts with known errors, which the verdict must name. */
class CampaignAuditTest extends WrittenAccounts {

  @Test
  void whatRanOnceAsItWasMeantToIsClean() throws Exception {
    enqueued(SUCCEEDS);
    producer("i " + FAILS_ONCE + " 1 BULK", "o " + FAILS_ONCE + " 5001");
    producer("i " + ENDS_DEAD + " 1 BULK", "o " + ENDS_DEAD + " 5002");
    runs(
        "worker-1-1",
        run('b', 1, SUCCEEDS, 1),
        run('s', 2, SUCCEEDS, 1),
        "b 3 " + FAILS_ONCE + " 5001 1",
        "e 4 " + FAILS_ONCE + " 5001 1",
        "b 5 " + ENDS_DEAD + " 5002 1",
        "e 6 " + ENDS_DEAD + " 5002 1");
    runs("worker-2-1", "b 7 " + FAILS_ONCE + " 5001 2", "s 8 " + FAILS_ONCE + " 5001 2");
    ended(SUCCEEDS, 1, TaskState.DONE);
    history(FAILS_ONCE, 5001, 1, TaskState.FAILED);
    history(FAILS_ONCE, 5001, 2, TaskState.DONE);
    history(ENDS_DEAD, 5002, 1, TaskState.DEAD);
    CampaignVerdict verdict = assertClean();
    assertThat(verdict.counted(Count.ACKNOWLEDGED)).isEqualTo(3);
    assertThat(verdict.counted(Count.DONE)).isEqualTo(2);
    assertThat(verdict.counted(Count.DEAD)).isEqualTo(1);
  }

  @Test
  void whatWasAcknowledgedAndNeverRanIsLost() throws Exception {
    enqueued(SUCCEEDS);
    assertOnly(Charge.LOST);
  }

  @Test
  void whatWasAcknowledgedAndHasNoFinalStateIsLost() throws Exception {
    enqueued(SUCCEEDS);
    runs("worker-1-1", run('b', 1, SUCCEEDS, 1), run('s', 2, SUCCEEDS, 1));
    ended(SUCCEEDS, 1, TaskState.LOST);
    assertOnly(Charge.LOST);
  }

  @Test
  void aDeadTaskThatWasNotMeantToDieIsAContradiction() throws Exception {
    producer("i " + SUCCEEDS + " 1 SINGLE", "u " + SUCCEEDS + " 1");
    ended(SUCCEEDS, 1, TaskState.DEAD);
    assertOnly(Charge.CONTRADICTION);
  }

  @Test
  void whatIsDoneWithoutASuccessIsAContradiction() throws Exception {
    producer("i " + SUCCEEDS + " 1 SINGLE", "u " + SUCCEEDS + " 1");
    runs("worker-1-1", run('b', 1, SUCCEEDS, 1));
    ended(SUCCEEDS, 1, TaskState.DONE);
    assertOnly(Charge.CONTRADICTION);
  }

  @Test
  void whatEndedTwiceIsAContradiction() throws Exception {
    enqueued(SUCCEEDS);
    runs("worker-1-1", run('b', 1, SUCCEEDS, 1), run('s', 2, SUCCEEDS, 1));
    ended(SUCCEEDS, 1, TaskState.DONE);
    ended(SUCCEEDS, 1, TaskState.DONE);
    assertOnly(Charge.CONTRADICTION);
  }

  @Test
  void whatRanThoughItsEnqueueFailedIsUnexpected() throws Exception {
    producer("i " + SUCCEEDS + " 1 SINGLE", "f " + SUCCEEDS + " 1");
    runs("worker-1-1", run('b', 1, SUCCEEDS, 1));
    assertOnly(Charge.UNEXPECTED);
  }

  @Test
  void whatNobodyEnqueuedIsUnexpected() throws Exception {
    runs("worker-1-1", run('b', 1, SUCCEEDS, 1));
    assertOnly(Charge.UNEXPECTED);
  }

  @Test
  void whatIsInHistoryThoughItsEnqueueFailedIsUnexpected() throws Exception {
    producer("i " + ENDS_DEAD + " 1 SINGLE", "f " + ENDS_DEAD + " 1");
    ended(ENDS_DEAD, 1, TaskState.DEAD);
    assertOnly(Charge.UNEXPECTED);
  }

  @Test
  void whatIsLeftIsPending() throws Exception {
    auditor.pending("a task");
    assertOnly(Charge.PENDING);
  }

  @Test
  void anUnknownOutcomeMayBeEither() throws Exception {
    long other = markOf(CampaignTask.SUCCEED, SUCCEEDS - CampaignAccounts.mark(1, 1) + 1);
    producer("i " + SUCCEEDS + " 1 SINGLE", "u " + SUCCEEDS + " 1");
    producer("i " + other + " 1 SINGLE", "u " + other + " 1");
    runs("worker-1-1", run('b', 1, SUCCEEDS, 1), run('s', 2, SUCCEEDS, 1));
    ended(SUCCEEDS, 1, TaskState.DONE);
    CampaignVerdict verdict = assertClean();
    assertThat(verdict.counted(Count.UNKNOWN)).isEqualTo(2);
    assertThat(verdict.counted(Count.RECOVERED)).isEqualTo(1);
  }

  @Test
  void anEnqueueThatIsRepeatedIsNotKnownToHaveFailed() throws Exception {
    producer(
        "i " + SUCCEEDS + " 1 WITH_KEY", "f " + SUCCEEDS + " 1", "i " + SUCCEEDS + " 1 WITH_KEY");
    runs("worker-1-1", run('b', 1, SUCCEEDS, 1), run('s', 2, SUCCEEDS, 1));
    ended(SUCCEEDS, 1, TaskState.DONE);
    assertClean();
  }

  @Test
  void aTornLineIsNotRead() throws Exception {
    Path log = log("i " + SUCCEEDS + " 1 SINGLE");
    Files.writeString(log, Files.readString(log) + "o " + SUCCEEDS);
    auditor.producer(log);
    assertThat(assertClean().counted(Count.UNKNOWN)).isEqualTo(1);
  }

  @Test
  void oneEnqueueThatMadeTwoTasksIsADuplicate() throws Exception {
    enqueued(SUCCEEDS);
    runs("worker-1-1", run('b', 1, SUCCEEDS, 1), run('s', 2, SUCCEEDS, 1));
    ended(SUCCEEDS, 1, TaskState.DONE);
    history(SUCCEEDS, TASK + 1, 1, TaskState.RELEASED);
    assertOnly(Charge.DUPLICATED);
  }

  @Test
  void aTaskThatCameWithoutWhatItsProducerWroteIsAContradiction() throws Exception {
    producer("i " + ENDS_DEAD + " 1 IN_CALLERS_TRANSACTION", "o " + ENDS_DEAD + " " + TASK);
    ended(ENDS_DEAD, 1, TaskState.DEAD);
    assertOnly(Charge.CONTRADICTION);
  }

  @Test
  void anEffectOfATransactionThatIsThereTwiceIsADuplicate() throws Exception {
    auditor = new CampaignAudit(DeliveryMode.TRANSACTIONAL, disturbances);
    disturbances.add("KILL_SERVER", Disturbances.ALL, 0, Long.MAX_VALUE);
    enqueued(SUCCEEDS);
    auditor.effect(SUCCEEDS, TASK, 1);
    auditor.effect(SUCCEEDS, TASK, 2);
    ended(SUCCEEDS, 1, TaskState.LOST);
    ended(SUCCEEDS, 2, TaskState.DONE);
    assertOnly(Charge.DUPLICATED);
  }

  @Test
  void inATransactionARunThatLeftNothingIsNoRun() throws Exception {
    auditor = new CampaignAudit(DeliveryMode.TRANSACTIONAL, disturbances);
    enqueued(SUCCEEDS);
    runs("worker-1-1", run('b', 1, SUCCEEDS, 1), run('s', 2, SUCCEEDS, 1));
    runs("worker-2-1", run('b', 3, SUCCEEDS, 1), run('s', 4, SUCCEEDS, 1));
    auditor.effect(SUCCEEDS, TASK, 1);
    ended(SUCCEEDS, 1, TaskState.DONE);
    assertClean();
  }

  @Test
  void theEffectOfAnAttemptThatFailedIsAContradiction() throws Exception {
    auditor = new CampaignAudit(DeliveryMode.TRANSACTIONAL, disturbances);
    producer("i " + FAILS_ONCE + " 1 SINGLE", "o " + FAILS_ONCE + " " + TASK);
    auditor.effect(FAILS_ONCE, TASK, 1);
    ended(FAILS_ONCE, 1, TaskState.DONE);
    assertOnly(Charge.CONTRADICTION);
  }
}
