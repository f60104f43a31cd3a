package dev.rota.typed;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.rota.Attempt;
import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.PartialFailureException;
import dev.rota.RetryPolicy;
import dev.rota.Rota;
import dev.rota.RotaFixture;
import dev.rota.RotaTest;
import dev.rota.TaskState;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.control.Redrive;
import dev.rota.history.ErrorGroup;
import dev.rota.history.HistoryFilter;
import dev.rota.testing.Await;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Tests the end of tasks whose payloads cannot be read. */
@RotaTest
class UnreadablePayloadTest {

  private static final String UNREADABLE =
      "dev.rota.FatalTaskException: payload of kind 'email.send' cannot be read as"
          + " dev.rota.typed.Mail";

  private final Queue<Mail> seen = new ConcurrentLinkedQueue<>();
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private final Logger logger =
      ((LoggerContext) LoggerFactory.getILoggerFactory())
          .getLogger("dev.rota.internal.worker.FailureReporter");

  @Given private RotaFixture fixture;
  private Rota rota;
  private Tenant acme;

  @BeforeEach
  void open() {
    rota = fixture.another(builder -> builder.payloadCodec(new Mail.Codec()));
    acme = rota.tenants().register("acme");
    log.start();
    logger.setAdditive(false);
    logger.addAppender(log);
  }

  @AfterEach
  void close() {
    logger.detachAppender(log);
    logger.setAdditive(true);
  }

  @Test
  void itsTaskIsDeadAtOnceAndTheWorkerGoesOn() throws Exception {
    List<Long> ids = enqueue("joe*two", "somebody*x", "ann*1");
    try (Worker worker = rota.worker().handle(Mail.SEND, (mail, task) -> seen.add(mail)).start()) {
      Await.until("both are dead", () -> worker.statistics().dead(), 2);
      Await.until("the other one is done", () -> worker.statistics().done(), 1);
    }
    assertThat(seen).containsExactly(new Mail("ann", 1));
    String problem = UNREADABLE + "\ncaused by dev.rota.spi.PayloadException: $.copies: no int";
    Attempt only = attempt(ids.get(0));
    assertThat(only.state()).isEqualTo(TaskState.DEAD);
    assertThat(only.number()).isEqualTo(1);
    assertThat(only.error()).contains(problem);
    assertThat(only.stack()).contains("at line 1, column 5");
    assertThat(attempt(ids.get(1)).stack()).contains("at line 1, column 10");
    assertThat(acme.history().scanErrorGroups(HistoryFilter.all()))
        .extracting(ErrorGroup::error)
        .containsExactly(problem);
    assertThat(log.list)
        .singleElement()
        .extracting(ILoggingEvent::getFormattedMessage)
        .asString()
        .contains("(email.send, attempt 1) of tenant 'acme'")
        .contains("threw dev.rota.FatalTaskException, caused by dev.rota.spi.PayloadException;")
        .doesNotContain("two", "somebody", "\n");
  }

  /** Once the application can read them. */
  @Test
  void itRunsWhenItIsRedriven() throws Exception {
    enqueue("joe*two");
    try (Worker worker = rota.worker().handle(Mail.SEND, (mail, task) -> seen.add(mail)).start()) {
      Await.until("it is dead", () -> worker.statistics().dead(), 1);
    }
    assertThat(acme.control().redrive(Redrive.all())).isEqualTo(1);
    try (Worker worker = rota.worker().handle("email.send", task -> {}).start()) {
      Await.until("it is done", () -> worker.statistics().done(), 1);
    }
  }

  @Test
  void anyExceptionOfTheCodecIsOne() throws Exception {
    List<Long> ids = enqueue("no star", "null");
    try (Worker worker = rota.worker().handle(Mail.SEND, (mail, task) -> seen.add(mail)).start()) {
      Await.until("both are dead", () -> worker.statistics().dead(), 2);
    }
    assertThat(attempt(ids.get(0)).error())
        .contains(UNREADABLE + "\ncaused by java.lang.IllegalStateException: a mail has a star");
    assertThat(attempt(ids.get(1)).error()).contains(UNREADABLE + ": it is null");
  }

  @Test
  void theRestOfABatchRuns() throws Exception {
    List<Long> ids = enqueue("joe*two", "ann*1", "bob*1");
    try (Worker worker =
        rota.worker()
            .handleBatch(
                Mail.SEND,
                tasks -> {
                  tasks.forEach(task -> seen.add(task.value()));
                  throw new PartialFailureException(
                      Map.of(ids.get(2), new IllegalStateException("no such box")));
                })
            .start()) {
      Await.until("one is dead", () -> worker.statistics().dead(), 1);
      Await.until("one is done", () -> worker.statistics().done(), 1);
      Await.until("one is retried", () -> worker.statistics().failed(), 1);
    }
    assertThat(seen).containsExactlyInAnyOrder(new Mail("ann", 1), new Mail("bob", 1));
    assertThat(attempt(ids.get(0)).error())
        .hasValueSatisfying(e -> assertThat(e).startsWith(UNREADABLE));
    assertThat(attempt(ids.get(2)).error())
        .contains("java.lang.IllegalStateException: no such box");
  }

  @Test
  void aBatchThatFailsDoesNotHideIt() throws Exception {
    List<Long> ids = enqueue("joe*two", "ann*1");
    try (Worker worker =
        rota.worker()
            .retry(RetryPolicy.never())
            .handleBatch(
                Mail.SEND,
                tasks -> {
                  throw new IllegalStateException("no mailer");
                })
            .start()) {
      Await.until("both are dead", () -> worker.statistics().dead(), 2);
    }
    assertThat(attempt(ids.get(0)).error())
        .hasValueSatisfying(e -> assertThat(e).startsWith(UNREADABLE));
    assertThat(attempt(ids.get(1)).error()).contains("java.lang.IllegalStateException: no mailer");
  }

  @Test
  void aBatchOfThemAloneDoesNotRun() throws Exception {
    acme.enqueueAll(Collections.nCopies(20, NewTask.of("email.send", "joe*two")));
    try (Worker worker =
        rota.worker()
            .handleBatch(Mail.SEND, tasks -> tasks.forEach(task -> seen.add(task.value())))
            .start()) {
      Await.until("all are dead", () -> worker.statistics().dead(), 20);
      enqueue("ann*1", "bob*1");
      Await.until("others are done", () -> worker.statistics().done(), 2);
    }
    assertThat(seen).hasSize(2);
  }

  private List<Long> enqueue(String... payloads) {
    return acme.enqueueAll(
        List.of(payloads).stream().map(payload -> NewTask.of("email.send", payload)).toList());
  }

  private Attempt attempt(long id) {
    return acme.history().scanAttempts(id).get(0);
  }
}
