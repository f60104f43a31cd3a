package dev.rota.dashboard.internal.action;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Given;
import dev.rota.RotaException;
import dev.rota.RotaFixture;
import dev.rota.RotaTest;
import dev.rota.audit.AuditEntry;
import dev.rota.audit.AuditState;
import dev.rota.dashboard.Right;
import dev.rota.dashboard.Viewer;
import dev.rota.dashboard.internal.action.Action.Counted;
import dev.rota.dashboard.internal.action.Action.Plan;
import dev.rota.dashboard.internal.action.Action.Work;
import dev.rota.testing.Await;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests what becomes of actions while others keep all threads. */
@RotaTest
class OperationsTest {

  private static final Action ACTION =
      new Action("redrive", "", Right.REDRIVE, visit -> List.of(), visit -> Optional.empty());
  private static final Duration OFTEN = Duration.ofMillis(5);
  private static final Duration NEVER = Duration.ofDays(1);

  private final CountDownLatch begun = new CountDownLatch(2);
  private final CountDownLatch release = new CountDownLatch(1);
  @Given private RotaFixture fixture;
  private Operations operations;

  @BeforeEach
  void open() {
    operations = new Operations(fixture.rota().audit(), OFTEN);
  }

  @AfterEach
  void release() {
    release.countDown();
  }

  /** Begins two actions that run until the test releases them. */
  private void keepAllThreads() throws InterruptedException {
    Work held =
        progress -> {
          begun.countDown();
          await(release);
          return "";
        };
    long unused = begin(Counted.of(1), held);
    unused = begin(Counted.CUT, held);
    await(begun);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new RotaException("interrupted in a test", e);
    }
  }

  private long begin(Counted counted, Work work) {
    Plan plan = new Plan(Optional.empty(), "", "", counted, work);
    return operations.begin(Viewer.operator("joe"), ACTION, plan);
  }

  private AuditEntry entry(long id) {
    return fixture.rota().audit().find(id).orElseThrow();
  }

  private AuditState stateOf(long id) {
    return entry(id).result().state();
  }

  @Test
  void whatCountsNoTasksDoesNotWait() throws Exception {
    keepAllThreads();
    long brief = begin(Counted.NOT, progress -> "at once");
    Await.until("it has ended", () -> stateOf(brief) == AuditState.DONE);
  }

  @Test
  void whatWaitsIsNotTakenForInterrupted() throws Exception {
    keepAllThreads();
    long waiting = begin(Counted.of(1), progress -> "");
    for (long id = 1; id <= waiting; id++) {
      beSilent(id);
      long each = id;
      Await.until("action " + id + " is heard of", () -> !entry(each).isInterrupted());
    }
    release.countDown();
    Await.until("it has ended", () -> stateOf(waiting) == AuditState.DONE);
  }

  private void beSilent(long id) throws SQLException {
    fixture.execute("update rota.audit set seen_at = now() - interval '5 min' where id = " + id);
  }

  @Test
  void whatWaitsIsStopped() throws Exception {
    keepAllThreads();
    long waiting = begin(Counted.of(1), progress -> "it ran");
    assertThat(fixture.rota().audit().requestStop(waiting)).isTrue();
    Await.until("it has ended", () -> stateOf(waiting) == AuditState.STOPPED);
    assertThat(entry(waiting).result().detail()).isEmpty();
  }

  @Test
  void whatIsStoppedBeforeItsTurnDoesNotBegin() throws Exception {
    operations = new Operations(fixture.rota().audit(), NEVER);
    keepAllThreads();
    long waiting = begin(Counted.of(1), progress -> "it ran");
    assertThat(fixture.rota().audit().requestStop(waiting)).isTrue();
    release.countDown();
    Await.until("it has ended", () -> stateOf(waiting) != AuditState.RUNNING);
    assertThat(entry(waiting).result())
        .isEqualTo(new AuditEntry.Result(AuditState.STOPPED, 0, true, ""));
  }
}
