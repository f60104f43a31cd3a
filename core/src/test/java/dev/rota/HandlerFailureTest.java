package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.rota.testing.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests the outcomes of tasks whose handlers fail in any way. */
@RotaTest
@PostgresVersions({15, 18})
class HandlerFailureTest {

  private static final RetryPolicy TWICE = RetryPolicy.of(2, attempt -> Duration.ofHours(1));

  /** By attempt, which is counted from 1. */
  private static final Duration[] PAUSES = {
    Duration.ZERO, Duration.ZERO, Duration.ofMinutes(7), Duration.ofMinutes(7)
  };

  @Given private RotaFixture fixture;
  private Rota rota;
  private Tenant acme;

  @BeforeEach
  void open() {
    rota = fixture.another(builder -> builder.doorbell(false));
    acme = rota.tenants().register("acme");
  }

  @Test
  void anExceptionFailsItsTaskAlone() throws Exception {
    long bad = enqueue("k", 10).get(3);
    try (Worker worker =
        rota.worker()
            .retry(TWICE)
            .handle(
                "k",
                task -> {
                  if (task.id() == bad) {
                    throw new IllegalArgumentException("not this one");
                  }
                })
            .start()) {
      Await.until("all settled", () -> settled(worker), 10);
      assertThat(worker.statistics()).isEqualTo(new WorkerStatistics(10, 9, 1, 0, 0));
    }
    assertCounts(Map.of(TaskState.DONE, 9L, TaskState.FAILED, 1L, TaskState.WAITING, 1L));
    assertThat(acme.history().scanAttempts(bad).get(0).error())
        .contains("java.lang.IllegalArgumentException: not this one");
  }

  @Test
  void aBatchHandlerMayFailSomeOfItsTasks() throws Exception {
    List<Long> ids = enqueue("many", 10);
    Set<Long> bad = Set.of(ids.get(0), ids.get(9));
    BatchHandler handler =
        tasks ->
            throwing(
                tasks.stream()
                    .map(Task::id)
                    .filter(bad::contains)
                    .collect(
                        Collectors.toMap(id -> id, id -> new IllegalStateException("bad " + id))));
    try (Worker worker = rota.worker().retry(TWICE).handleBatch("many", handler).start()) {
      Await.until("all settled", () -> settled(worker), 10);
    }
    assertCounts(Map.of(TaskState.DONE, 8L, TaskState.FAILED, 2L, TaskState.WAITING, 2L));
    assertThat(acme.history().scanAttempts(ids.get(9)).get(0).error())
        .contains("java.lang.IllegalStateException: bad " + ids.get(9));
  }

  @Test
  void aBatchHandlerThatThrowsFailsAllItsTasks() throws Exception {
    enqueue("many", 5);
    try (Worker worker =
        rota.worker()
            .retry(RetryPolicy.never())
            .handleBatch("many", tasks -> throwing(new IllegalStateException("none")))
            .start()) {
      Await.until("all settled", () -> settled(worker), 5);
    }
    assertCounts(Map.of(TaskState.DEAD, 5L));
  }

  @Test
  void anErrorIsAFailureLikeAnyOther() throws Exception {
    List<Long> ids = enqueue("deep", 3);
    try (Worker worker =
        rota.worker()
            .retry(RetryPolicy.never())
            .handle("deep", task -> assertThat(endless().hashCode()).isZero())
            .start()) {
      Await.until("all settled", () -> settled(worker), 3);
    }
    assertCounts(Map.of(TaskState.DEAD, 3L));
    assertThat(acme.history().scanAttempts(ids.get(0)).get(0).error())
        .contains("java.lang.StackOverflowError");
  }

  @Test
  void aFailedTaskIsRetriedUntilItIsDead() throws Exception {
    long id = enqueue("k", 1).get(0);
    RetryPolicy policy = RetryPolicy.exponential(3, Duration.ofMinutes(1), Duration.ofHours(1));
    try (Worker worker =
        rota.worker()
            .retry(policy)
            .handle("k", task -> throwing(new IllegalStateException("attempt " + task.attempt())))
            .start()) {
      for (int failures = 1; failures <= 2; failures++) {
        int now = failures;
        Await.until("failed", () -> worker.statistics().failed(), now);
        double seconds =
            Double.parseDouble(
                fixture
                    .texts("select extract(epoch from run_at - now()) from rota_1.task_wait_1")
                    .get(0));
        assertThat(seconds / (60 * now)).isBetween(0.7, 1.3);
        Waiting.intoRing(fixture, acme.number());
      }
      Await.until("dead", () -> worker.statistics().dead(), 1);
    }
    assertThat(acme.history().scanAttempts(id))
        .extracting(attempt -> attempt.state() + " " + attempt.error().orElse(""))
        .containsExactly(
            "FAILED java.lang.IllegalStateException: attempt 1",
            "FAILED java.lang.IllegalStateException: attempt 2",
            "DEAD java.lang.IllegalStateException: attempt 3");
  }

  @Test
  void aHandlerMaySayThatTryingAgainIsUseless() throws Exception {
    long id = enqueue("k", 1).get(0);
    List<Long> many = enqueue("many", 3);
    try (Worker worker =
        rota.worker()
            .retry(TWICE)
            .handle(
                "k", task -> throwing(new FatalTaskException("no such user", new Exception("404"))))
            .handleBatch(
                "many",
                tasks -> throwing(Map.of(many.get(1), new FatalTaskException("not this one"))))
            .start()) {
      Await.until("all settled", () -> settled(worker), 4);
    }
    assertCounts(Map.of(TaskState.DEAD, 2L, TaskState.DONE, 2L));
    assertThat(acme.history().scanAttempts(id).get(0).error())
        .contains("dev.rota.FatalTaskException: no such user\ncaused by java.lang.Exception: 404");
    assertThat(acme.history().scanAttempts(many.get(1)).get(0).state()).isEqualTo(TaskState.DEAD);
  }

  @Test
  void aHandlerMaySayWhenToTryAgain() throws Exception {
    enqueue("k", 1);
    try (Worker worker =
        rota.worker()
            .retry(RetryPolicy.fixed(3, Duration.ofHours(9)))
            .handle("k", task -> throwing(new RetryAfterException(PAUSES[task.attempt()], "busy")))
            .start()) {
      Await.until("failed", () -> worker.statistics().failed(), 1);
      assertThat(pauseOfWaiting()).isEqualTo("00:00:00");
      Waiting.intoRing(fixture, acme.number());
      Await.until("failed again", () -> worker.statistics().failed(), 2);
      assertThat(pauseOfWaiting()).isEqualTo("00:07:00");
      Waiting.intoRing(fixture, acme.number());
      Await.until("dead", () -> worker.statistics().dead(), 1);
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new RetryAfterException(Duration.ofNanos(-1), "never"))
        .withMessageContaining("pause is PT-0.000000001S");
  }

  @Test
  void eachKindMayHaveItsOwnPolicy() throws Exception {
    enqueue("k", 1);
    enqueue("fragile", 1);
    try (Worker worker =
        rota.worker()
            .retry(TWICE)
            .retry("fragile", RetryPolicy.never())
            .handle("k", task -> throwing(new IllegalStateException("k")))
            .handle("fragile", task -> throwing(new IllegalStateException("fragile")))
            .start()) {
      Await.until("all settled", () -> settled(worker), 2);
    }
    assertCounts(Map.of(TaskState.DEAD, 1L, TaskState.FAILED, 1L, TaskState.WAITING, 1L));
    Worker.Builder incomplete =
        rota.worker().handle("k", task -> {}).retry("other", RetryPolicy.never());
    assertThatIllegalStateException()
        .isThrownBy(incomplete::start)
        .withMessageContaining(
            "kind 'other' has a retry policy, a time limit or a concurrency and no handler");
  }

  @Test
  void inATransactionTheSameHolds() throws Exception {
    enqueue("fatal", 1);
    enqueue("later", 1);
    enqueue("once", 1);
    try (Worker worker =
        rota.worker()
            .delivery(DeliveryMode.TRANSACTIONAL)
            .retry(TWICE)
            .retry("once", RetryPolicy.never())
            .handleInTransaction(
                "fatal", (task, connection) -> throwing(new FatalTaskException("useless")))
            .handleInTransaction(
                "later",
                (task, connection) ->
                    throwing(new RetryAfterException(Duration.ofMinutes(7), "busy")))
            .handleInTransaction(
                "once", (task, connection) -> throwing(new IllegalStateException("no")))
            .start()) {
      Await.until("all settled", () -> settled(worker), 3);
    }
    assertCounts(Map.of(TaskState.DEAD, 2L, TaskState.FAILED, 1L, TaskState.WAITING, 1L));
    assertThat(pauseOfWaiting()).isEqualTo("00:07:00");
  }

  @Test
  void aRetryPolicyThatThrowsDoesNotStopTheWorker() throws Exception {
    enqueue("bad", 5);
    RetryPolicy broken =
        RetryPolicy.of(
            5,
            attempt -> {
              throw new IllegalStateException("no pause for you");
            });
    try (Worker worker =
        rota.worker()
            .concurrency(1)
            .retry(broken)
            .handle("bad", task -> throwing(new UntellableException()))
            .handle("good", task -> {})
            .start()) {
      Await.until("all failed", () -> worker.statistics().failed(), 5);
      enqueue("good", 1);
      Await.until("goes on", () -> worker.statistics().done(), 1);
    }
    assertCounts(Map.of(TaskState.DONE, 1L, TaskState.FAILED, 5L, TaskState.WAITING, 5L));
  }

  @Test
  void anExceptionThatCannotBeReadFailsItsTask() throws Exception {
    RuntimeException unread = new UnreadableException(() -> null, new IllegalStateException());
    assertDead("frames", unread, UnreadableException.class.getName());
    RuntimeException causeless = new UnreadableException(() -> new StackTraceElement[0], null);
    assertDead("cause", causeless, UnreadableException.class.getName());
  }

  @Test
  void anErrorInPlaceOfTheOutcomeFailsTheTaskAndLeavesTheOthers() throws Exception {
    RuntimeException memory =
        new UnreadableException(
            () -> {
              throw new OutOfMemoryError("by order of a test");
            },
            null);
    assertDead("memory", memory, "cannot tell how the handler ended", "OutOfMemoryError");
  }

  @Test
  void anErrorThatCannotBeReadFailsItsTaskInATransactionToo() throws Exception {
    Error unread =
        new Error() {
          private static final long serialVersionUID = 1L;

          @Override
          public String getMessage() {
            throw this;
          }
        };
    Worker.Builder worker =
        rota.worker()
            .delivery(DeliveryMode.TRANSACTIONAL)
            .handleInTransaction(
                "unread",
                (task, connection) -> {
                  throw unread;
                });
    assertDead("unread", worker, "cannot tell how the handler ended");
  }

  private void assertDead(String kind, RuntimeException thrown, String... said) throws Exception {
    assertDead(kind, rota.worker().handle(kind, task -> throwing(thrown)), said);
  }

  private void assertDead(String kind, Worker.Builder builder, String... said) throws Exception {
    List<Long> ids = enqueue(kind, 3);
    try (Worker worker = builder.retry(RetryPolicy.never()).start()) {
      Await.until("all settled", () -> settled(worker), 3);
    }
    for (long id : ids) {
      Attempt attempt = acme.history().scanAttempts(id).get(0);
      assertThat(attempt.state()).isEqualTo(TaskState.DEAD);
      assertThat(attempt.error().orElseThrow()).contains(said);
    }
  }

  /** Between the end of the failed attempt and the next one. */
  private String pauseOfWaiting() throws Exception {
    return fixture
        .texts(
            "select w.run_at - h.finished_at from rota_1.task_wait_1 w"
                + " join rota_1.task_hist_1_1 h on h.id = w.id and h.attempt = w.attempt")
        .get(0);
  }

  private List<Long> enqueue(String kind, int count) {
    return acme.enqueueAll(Collections.nCopies(count, NewTask.of(kind, "{}")));
  }

  private static long settled(Worker worker) {
    WorkerStatistics now = worker.statistics();
    return now.done() + now.failed() + now.dead();
  }

  private static List<Object> endless() {
    List<Object> list = new ArrayList<>();
    list.add(List.of(list));
    return list;
  }

  private static void throwing(Exception e) throws Exception {
    throw e;
  }

  private static void throwing(Map<Long, ? extends RuntimeException> failures) throws Exception {
    throw new PartialFailureException(failures);
  }

  private void assertCounts(Map<TaskState, Long> expected) {
    Map<TaskState, Long> counts = acme.history().scanStates();
    counts.values().removeIf(count -> count == 0);
    assertThat(counts).isEqualTo(expected);
  }

  /** An exception that cannot even be printed. */
  private static final class UntellableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
      throw new IllegalStateException("no message");
    }
  }

  /** An exception whose frames or cause cannot be read. */
  private static final class UnreadableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Supplier<StackTraceElement[]> frames;
    private final @Nullable Throwable cause;

    UnreadableException(Supplier<StackTraceElement[]> frames, @Nullable Throwable cause) {
      this.frames = frames;
      this.cause = cause;
    }

    @Override
    public StackTraceElement[] getStackTrace() {
      return frames.get();
    }

    @Override
    public synchronized Throwable getCause() {
      if (cause == null) {
        throw new IllegalStateException("no cause");
      }
      return cause;
    }
  }
}
