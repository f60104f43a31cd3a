package dev.rota.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.rota.testing.Faults.Moment;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests the script of faults: effects, narrowing, holds and faults that were not reached. */
class FaultsTest {

  private final Faults faults = new Faults();

  private void call(String name) throws SQLException {
    faults.beforeSending(name);
    faults.afterAnswer(name);
  }

  private void assertState(String name, String state) {
    assertThatExceptionOfType(SQLException.class)
        .isThrownBy(() -> call(name))
        .withMessageContaining(name)
        .extracting(SQLException::getSQLState)
        .isEqualTo(state);
  }

  @Test
  void connectionBreaksOnce() throws SQLException {
    faults.before("claim").fail();
    call("gate");
    assertState("claim", "08006");
    call("claim");
    assertThat(faults.count("claim")).isEqualTo(2);
    faults.close();
  }

  @Test
  void serverRefusesSeveralTimes() throws SQLException {
    ScriptedFault full = faults.at(Moment.AFTER, "close batches").times(2).fail("53100");
    assertState("close batches", "53100");
    assertState("close batches", "53100");
    call("close batches");
    assertThat(full.reached()).isEqualTo(2);
  }

  @Test
  void answerIsLostInTransactionsOfAnEarlierCall() throws SQLException {
    faults.after("commit").inTransactionOf("enqueue").loseAnswer();
    call("commit");
    call("enqueue");
    assertState("commit", "08006");
    assertThatExceptionOfType(IllegalStateException.class)
        .isThrownBy(() -> faults.before("commit").loseAnswer());
  }

  @Test
  void transactionEndsWithItsCommitOrRollback() throws SQLException {
    ScriptedFault commit = faults.after("commit").inTransactionOf("enqueue").watch();
    faults.before("commit").fail();
    call("enqueue");
    assertState("commit", "08006");
    call("commit");
    call("enqueue");
    call("rollback");
    call("commit");
    assertThat(commit.isReached()).isFalse();
    call("enqueue");
    call("commit");
    assertThat(commit.reached()).isOne();
  }

  @Test
  void errorIsThrownFromTheSecondCallOn() throws SQLException {
    ScriptedFault memory =
        faults.before("claim").from(2).always().fail(() -> new OutOfMemoryError("on purpose"));
    call("claim");
    assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> call("claim"));
    assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> call("claim"));
    memory.stop();
    call("claim");
  }

  @Test
  void otherThreadsAreHeldUntilReleased() throws Exception {
    ScriptedFault hold = faults.before("claim").byOtherThreads().hold();
    call("claim");
    ExecutorService threads = Executors.newCachedThreadPool();
    try {
      Future<?> first = threads.submit(() -> callQuietly("claim"));
      Future<?> second = threads.submit(() -> callQuietly("claim"));
      hold.awaitReached(2);
      assertThat(first.isDone() || second.isDone()).isFalse();
      hold.release();
      first.get(30, TimeUnit.SECONDS);
      second.get(30, TimeUnit.SECONDS);
    } finally {
      faults.release();
      threads.shutdownNow();
    }
    call("claim");
  }

  private void callQuietly(String name) {
    assertThatCode(() -> call(name)).doesNotThrowAnyException();
  }

  @Test
  void actionRunsInTheCallingThread() throws SQLException {
    List<String> told = new ArrayList<>();
    faults.beforeAnyCall().byThisThread().tell(told::add);
    faults.before("claim").run(() -> told.add("meanwhile"));
    faults.afterAnyCall().tell(call -> told.add("after " + call));
    call("gate");
    call("claim");
    assertThat(told).containsExactly("gate", "after gate", "claim", "meanwhile", "after claim");
  }

  @Test
  void unreachedFaultIsAnError() throws SQLException {
    faults.before("claim").fail();
    faults.before("gate").times(2).run(() -> {});
    faults.after("commit").hold().optional();
    call("gate");
    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(faults::close)
        .withMessageContaining("the connection breaks before claim, reached 0 times")
        .withMessageContaining("an action runs before gate, reached 1 times")
        .withMessageContaining("the calls were {gate=1}");
  }
}
