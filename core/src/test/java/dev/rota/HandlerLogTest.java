package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.rota.control.Redrive;
import dev.rota.history.ErrorGroup;
import dev.rota.history.HistoryFilter;
import dev.rota.internal.RotaBuilder;
import dev.rota.testing.Await;
import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/** Tests the entries of handlers that throw, in the log and in history. */
@RotaTest
class HandlerLogTest {

  private static final String DESK = "dev.rota.internal.worker.FailureReporter";
  private static final String SECRET = "4711-canary";

  private final AtomicLong clock = new AtomicLong();
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private final Logger logger = ((LoggerContext) LoggerFactory.getILoggerFactory()).getLogger(DESK);

  @Given private RotaFixture fixture;
  private Rota rota;

  @BeforeEach
  void open() {
    log.start();
    logger.setAdditive(false);
    logger.addAppender(log);
  }

  @AfterEach
  void close() {
    logger.detachAppender(log);
    logger.setAdditive(true);
  }

  @ParameterizedTest
  @EnumSource(DeliveryMode.class)
  @Tag("exhaustive")
  void aHandlerThatThrowsIsLoggedOnceAMinuteWithItsFramesAndWithoutItsMessage(DeliveryMode mode)
      throws Exception {
    Tenant acme = acme(builder -> builder);
    try (Worker worker = worker(mode)) {
      acme.enqueueAll(Collections.nCopies(50, NewTask.of("k", "{}")));
      Await.until("all failed", () -> ended(worker), 50);
      assertThat(lines()).hasSize(1);
      assertThat(lines().get(0))
          .startsWith("the handler of task ")
          .contains("(k, attempt 1) of tenant 'acme'")
          .contains("threw java.lang.IllegalStateException, caused by java.io.IOException")
          .contains("\n\tat dev.rota.HandlerLogTest.send(HandlerLogTest.java:")
          .contains("\n\tcaused by java.io.IOException\n\tat dev.rota.HandlerLogTest.connect(")
          .doesNotContain("dev.rota.internal", "java.util", SECRET, "since the last line");
      assertThat(log.list.get(0).getLevel()).isEqualTo(Level.WARN);
      clock.addAndGet(Duration.ofMinutes(1).toNanos());
      acme.enqueue(NewTask.of("k", "{}"));
      Await.until("logged again", () -> lines().size(), 2);
      assertThat(lines().get(1)).contains("; 49 like this since the last line");
      clock.addAndGet(Duration.ofMinutes(1).toNanos());
      acme.enqueue(NewTask.of("k", "{}"));
      Await.until("logged once more", () -> lines().size(), 3);
      assertThat(lines().get(2)).doesNotContain("since the last line");
    }
  }

  @Test
  void anotherErrorOrKindIsLoggedByItself() throws Exception {
    Tenant acme = acme(builder -> builder);
    try (Worker worker =
        rota.worker()
            .retry(RetryPolicy.never())
            .handle("one", task -> send())
            .handle("other", task -> send())
            .handleBatch(
                "batch",
                tasks -> {
                  throw new PartialFailureException(
                      Map.of(tasks.get(0).id(), new IllegalArgumentException(SECRET)));
                })
            .handle(
                "later",
                task -> {
                  throw new RetryAfterException(Duration.ofHours(1), "busy");
                })
            .start()) {
      for (String kind : List.of("one", "other", "batch", "later")) {
        acme.enqueue(NewTask.of(kind, "{}"));
      }
      Await.until("all failed", () -> ended(worker), 4);
    }
    assertThat(lines()).hasSize(3);
    assertThat(lines()).anyMatch(line -> line.contains("threw java.lang.IllegalArgumentException"));
  }

  @Test
  void historyKeepsTheFramesApartFromWhatWasSaid() throws Exception {
    Tenant acme = acme(builder -> builder);
    long id = acme.enqueue(NewTask.of("k", "{}"));
    try (Worker worker = worker(DeliveryMode.LEASED)) {
      Await.until("failed", () -> ended(worker), 1);
    }
    Attempt attempt = acme.history().scanAttempts(id).get(0);
    String said =
        "java.lang.IllegalStateException: " + SECRET + "\ncaused by java.io.IOException: " + SECRET;
    assertThat(attempt.error()).contains(said);
    assertThat(attempt.stack().orElse("").lines())
        .allMatch(line -> line.startsWith("at dev.rota.Handler") || line.startsWith("caused by "))
        .anyMatch(line -> line.startsWith("at dev.rota.HandlerLogTest.connect(HandlerLogTest"));
    assertThat(acme.history().scanErrorGroups(HistoryFilter.all()))
        .extracting(ErrorGroup::error)
        .containsExactly(said);
    assertThat(acme.control().redrive(Redrive.all().error(said))).isEqualTo(1);
  }

  @Test
  void thePlaceOfAnErrorMakesNoGroupOfItsOwn() {
    Tenant acme = acme(builder -> builder);
    List<Long> ids = acme.enqueueAll(Collections.nCopies(2, NewTask.of("k", "{}")));
    try (Batch batch = acme.claim(2)) {
      batch.fail(batch.tasks().get(0), new IllegalStateException("here"));
      batch.fail(batch.tasks().get(1), new IllegalStateException("here"));
      batch.settle();
    }
    assertThat(acme.history().scanErrorGroups(HistoryFilter.all()))
        .extracting(ErrorGroup::attempts)
        .containsExactly(2L);
    assertThat(acme.history().scanAttempts(ids.get(0)).get(0).stack())
        .isPresent()
        .isNotEqualTo(acme.history().scanAttempts(ids.get(1)).get(0).stack());
  }

  @Test
  void howManyFramesAreKeptIsASetting() throws Exception {
    Tenant acme = acme(builder -> builder.stackFrames(0));
    long id = acme.enqueue(NewTask.of("k", "{}"));
    try (Worker worker = worker(DeliveryMode.LEASED)) {
      Await.until("failed", () -> ended(worker), 1);
    }
    assertThat(acme.history().scanAttempts(id).get(0).stack()).isEmpty();
    assertThat(lines()).hasSize(1).noneMatch(line -> line.contains("\n"));
  }

  private Tenant acme(UnaryOperator<Rota.Builder> settings) {
    rota =
        fixture.another(
            builder -> settings.apply(RotaBuilder.nanoTime(builder.doorbell(false), clock::get)));
    return rota.tenants().register("acme");
  }

  private Worker worker(DeliveryMode mode) {
    Worker.Builder builder = rota.worker().delivery(mode).retry(RetryPolicy.never());
    return mode == DeliveryMode.TRANSACTIONAL
        ? builder.handleInTransaction("k", (task, connection) -> send()).start()
        : builder.handle("k", task -> send()).start();
  }

  private static void send() {
    try {
      connect();
    } catch (IOException e) {
      throw new IllegalStateException(SECRET, e);
    }
  }

  private static void connect() throws IOException {
    throw new IOException(SECRET);
  }

  private static long ended(Worker worker) {
    WorkerStatistics now = worker.statistics();
    return now.done() + now.failed() + now.dead() + now.lost();
  }

  private List<String> lines() {
    return List.copyOf(log.list).stream().map(ILoggingEvent::getFormattedMessage).toList();
  }
}
