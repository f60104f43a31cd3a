package dev.rota.crash.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.crash.accounts.Disturbances;
import dev.rota.DeliveryMode;
import dev.rota.TaskState;
import dev.rota.crash.campaign.Verdict.Charge;
import dev.rota.crash.campaign.Verdict.Tally;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Accounts that are wrong on purpose: the verdict must name what is wrong with them. */
class VerdictTest {

  private static final long TASK = 5_000;

  /** When attempts end in history that are lost. */
  private static final long FINISHED_AT = 11_300;

  private static final long SUCCEEDS = markOf(Deed.SUCCEED, 0);
  private static final long FAILS_ONCE = markOf(Deed.FAIL_ONCE, 0);
  private static final long ENDS_DEAD = markOf(Deed.END_DEAD, 0);

  @TempDir private Path directory;
  private final Disturbances disturbances = new Disturbances(Duration.ofSeconds(2));
  private Auditor auditor = new Auditor(DeliveryMode.LEASED, disturbances);
  private int logs;

  private static long markOf(Deed deed, long from) {
    return LongStream.iterate(Accounts.mark(1, 1) + from, mark -> mark + 1)
        .filter(mark -> Deed.of(mark) == deed)
        .findFirst()
        .orElseThrow();
  }

  private void producer(String... lines) throws IOException {
    auditor.producer(log(lines));
  }

  private void enqueued(long mark) throws IOException {
    producer("i " + mark + " 1 SINGLE", "o " + mark + " " + TASK);
  }

  private void runs(String process, String... lines) throws IOException {
    auditor.runs(process, log(lines));
  }

  private Path log(String... lines) throws IOException {
    return Files.writeString(
        directory.resolve(++logs + ".log"),
        String.join("\n", lines) + (lines.length > 0 ? "\n" : ""));
  }

  private static String run(char what, long time, long mark, int attempt) {
    return what + " " + time + " " + mark + " " + TASK + " " + attempt;
  }

  private void ended(long mark, int attempt, TaskState state) {
    history(mark, TASK, attempt, state);
  }

  private void history(long mark, long task, int attempt, TaskState state) {
    auditor.history(mark, new Suspects.Row(task, attempt, state, FINISHED_AT));
  }

  private void assertOnly(Charge charge) throws IOException {
    Verdict verdict = auditor.verdict();
    for (Charge each : Charge.values()) {
      assertThat(verdict.count(each)).as(each + " in " + verdict).isEqualTo(each == charge ? 1 : 0);
    }
    assertThat(verdict.isClean()).isFalse();
    assertThat(verdict.toString()).contains(charge.name());
  }

  private Verdict assertClean() throws IOException {
    Verdict verdict = auditor.verdict();
    assertThat(verdict.isClean()).as(verdict.toString()).isTrue();
    return verdict;
  }

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
    Verdict verdict = assertClean();
    assertThat(verdict.counted(Tally.ACKNOWLEDGED)).isEqualTo(3);
    assertThat(verdict.counted(Tally.DONE)).isEqualTo(2);
    assertThat(verdict.counted(Tally.DEAD)).isEqualTo(1);
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
    long other = markOf(Deed.SUCCEED, SUCCEEDS - Accounts.mark(1, 1) + 1);
    producer("i " + SUCCEEDS + " 1 SINGLE", "u " + SUCCEEDS + " 1");
    producer("i " + other + " 1 SINGLE", "u " + other + " 1");
    runs("worker-1-1", run('b', 1, SUCCEEDS, 1), run('s', 2, SUCCEEDS, 1));
    ended(SUCCEEDS, 1, TaskState.DONE);
    Verdict verdict = assertClean();
    assertThat(verdict.counted(Tally.UNKNOWN)).isEqualTo(2);
    assertThat(verdict.counted(Tally.RECOVERED)).isEqualTo(1);
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
    assertThat(assertClean().counted(Tally.UNKNOWN)).isEqualTo(1);
  }

  private void ranTwice(TaskState first) throws IOException {
    enqueued(SUCCEEDS);
    runs("worker-1-1", run('b', 10_000, SUCCEEDS, 1));
    runs("worker-2-1", run('b', 13_000, SUCCEEDS, 2), run('s', 13_001, SUCCEEDS, 2));
    ended(SUCCEEDS, 1, first);
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

  @Test
  void aSleepOfTheProcessIsAFault() throws Exception {
    enqueued(SUCCEEDS);
    runs("worker-1-1", "p 9000", run('b', 9_100, SUCCEEDS, 1), "p 11500");
    runs("worker-2-1", run('b', 11_400, SUCCEEDS, 2), run('s', 11_401, SUCCEEDS, 2));
    ended(SUCCEEDS, 1, TaskState.LOST);
    ended(SUCCEEDS, 2, TaskState.DONE);
    assertThat(assertClean().explanations()).containsOnlyKeys(Disturbances.PAUSE);
  }

  @Test
  void aSleepThatIsTooShortToEndALeaseExplainsNothing() throws Exception {
    enqueued(SUCCEEDS);
    runs("worker-1-1", "p 10000", run('b', 10_100, SUCCEEDS, 1), "p 11200");
    runs("worker-2-1", run('b', 11_400, SUCCEEDS, 2), run('s', 11_401, SUCCEEDS, 2));
    ended(SUCCEEDS, 1, TaskState.LOST);
    ended(SUCCEEDS, 2, TaskState.DONE);
    assertOnly(Charge.DUPLICATED);
  }

  @Test
  void aSleepExplainsOnlyWhatNoFaultDoes() throws Exception {
    enqueued(SUCCEEDS);
    runs("worker-1-1", "p 9000", run('b', 9_100, SUCCEEDS, 1), "p 11500");
    runs("worker-2-1", run('b', 11_400, SUCCEEDS, 2), run('s', 11_401, SUCCEEDS, 2));
    disturbances.add("KILL_SERVER", Disturbances.ALL, 10_050, 10_060);
    ended(SUCCEEDS, 1, TaskState.LOST);
    ended(SUCCEEDS, 2, TaskState.DONE);
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
    assertThat(assertClean().counted(Tally.EXPLAINED)).isZero();
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
    auditor = new Auditor(DeliveryMode.TRANSACTIONAL, disturbances);
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
    auditor = new Auditor(DeliveryMode.TRANSACTIONAL, disturbances);
    enqueued(SUCCEEDS);
    runs("worker-1-1", run('b', 1, SUCCEEDS, 1), run('s', 2, SUCCEEDS, 1));
    runs("worker-2-1", run('b', 3, SUCCEEDS, 1), run('s', 4, SUCCEEDS, 1));
    auditor.effect(SUCCEEDS, TASK, 1);
    ended(SUCCEEDS, 1, TaskState.DONE);
    assertClean();
  }

  @Test
  void theEffectOfAnAttemptThatFailedIsAContradiction() throws Exception {
    auditor = new Auditor(DeliveryMode.TRANSACTIONAL, disturbances);
    producer("i " + FAILS_ONCE + " 1 SINGLE", "o " + FAILS_ONCE + " " + TASK);
    auditor.effect(FAILS_ONCE, TASK, 1);
    ended(FAILS_ONCE, 1, TaskState.DONE);
    assertOnly(Charge.CONTRADICTION);
  }
}
