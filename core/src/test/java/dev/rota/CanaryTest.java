package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.AppenderBase;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/**
 * Secrets in the URL, in payloads and in errors of handlers are in no log at any level, in no
 * exception, name of a thread, or text of a statement.
 */
class CanaryTest {

  private static final String PASSWORD = "canary-of-the-url";
  private static final String PAYLOAD = "canary-of-the-payload";
  private static final String ERROR = "canary-of-the-error";

  private final Queue<String> said = new ConcurrentLinkedQueue<>();
  private final Logger root = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
  private final AppenderBase<ILoggingEvent> ear = new Ear();
  private final List<Appender<ILoggingEvent>> others = new ArrayList<>();
  private final Handler driversEar = new DriversEar();
  private final java.util.logging.Logger driver =
      java.util.logging.Logger.getLogger("org.postgresql");
  private Level level;
  private RotaFixture fixture;

  @BeforeEach
  void listen() {
    fixture = RotaFixture.open();
    level = root.getLevel();
    ear.setContext((LoggerContext) LoggerFactory.getILoggerFactory());
    ear.start();
    root.iteratorForAppenders().forEachRemaining(others::add);
    others.forEach(root::detachAppender);
    root.addAppender(ear);
    root.setLevel(Level.TRACE);
    driver.addHandler(driversEar);
    // Above that the driver writes down what it sends, values included.
    driver.setLevel(java.util.logging.Level.FINE);
    driver.setUseParentHandlers(false);
  }

  @AfterEach
  void stopListening() {
    root.setLevel(level);
    root.detachAppender(ear);
    others.forEach(root::addAppender);
    driver.removeHandler(driversEar);
    driver.setLevel(null);
    driver.setUseParentHandlers(true);
    fixture.close();
  }

  @ParameterizedTest
  @EnumSource(DeliveryMode.class)
  void workersTellNoSecrets(DeliveryMode mode) throws Exception {
    try (Rota rota = Rota.connect(urlWithPassword())) {
      rota.migrate();
      Tenant acme = rota.tenants().register("acme");
      CountDownLatch ran = new CountDownLatch(4);
      try (Worker worker = worker(rota, mode, ran)) {
        for (int i = 0; i < 4; i++) {
          said.add(acme.enqueue(NewTask.of("k", "{\"at\":\"" + PAYLOAD + "\"}")) + " enqueued");
        }
        assertThat(ran.await(30, TimeUnit.SECONDS)).isTrue();
        listenToTheServer();
        said.addAll(Thread.getAllStackTraces().keySet().stream().map(Thread::getName).toList());
        said.add(worker + " " + rota + " " + acme + " " + worker.statistics());
      }
    }
    assertThat(said).hasSizeGreaterThan(100);
    assertNothingIsToldOf(PASSWORD, PAYLOAD, ERROR);
  }

  private static Worker worker(Rota rota, DeliveryMode mode, CountDownLatch ran) {
    Worker.Builder builder =
        rota.worker()
            .delivery(mode)
            .retry(RetryPolicy.exponential(2, Duration.ofHours(1), Duration.ofHours(1)));
    if (mode == DeliveryMode.TRANSACTIONAL) {
      builder.handleInTransaction("k", (task, connection) -> fail(ran));
    } else {
      builder.handle("k", task -> fail(ran));
    }
    return builder.start();
  }

  private static void fail(CountDownLatch ran) {
    ran.countDown();
    throw new IllegalStateException(ERROR, new IllegalArgumentException("because of " + ERROR));
  }

  @Test
  void valuesTellNoPayloads() throws Exception {
    Tenant acme = fixture.rota().tenants().register("acme");
    NewTask task = NewTask.of("k", PAYLOAD);
    TaskGraph.Builder graph = TaskGraph.builder();
    said.add(String.valueOf(graph.add(task)));
    said.add(String.valueOf(graph.build()));
    Schedule schedule = Schedule.every("hourly", Duration.ofHours(1), task);
    said.add(task + " " + schedule + " " + acme.schedules().add(schedule));
    said.add(acme.schedules().list() + " " + acme.schedules());
    acme.enqueueAll(List.of(task, task, task.after(Duration.ofHours(1))));
    try (Batch batch = acme.claim(2)) {
      said.add(batch + " " + batch.tasks());
      said.add(acme.running(Duration.ZERO).toString());
      batch.kill(batch.tasks().get(0), ERROR);
      batch.fail(batch.tasks().get(1), ERROR, Duration.ofHours(1));
      said.add(String.valueOf(batch.settle()));
    }
    said.add(acme.history(HistoryFilter.all()).toString());
    said.add(acme.attempts(1).toString());
    said.add(acme.errorGroups(HistoryFilter.all()).toString());
    listenToTheServer();
    assertNothingIsToldOf(PAYLOAD, ERROR);
  }

  @Test
  void refusalsTellNoPayloads() throws Exception {
    Tenant acme = fixture.rota().tenants().register("acme");
    List<NewTask> refused =
        List.of(
            NewTask.of("k", PAYLOAD + "\0"),
            NewTask.of("k", PAYLOAD + "\ud800"),
            NewTask.of("k", PAYLOAD.repeat(5_000)),
            NewTask.of("no kind", PAYLOAD));
    for (NewTask task : refused) {
      tell(() -> acme.enqueue(task));
      tell(() -> acme.enqueueAll(List.of(task)));
      tell(() -> acme.schedules().add(Schedule.every("s", Duration.ofHours(1), task)));
    }
    fixture.execute("alter table rota_1.task_init_1_0 add check (payload <> '" + PAYLOAD + "')");
    tell(() -> acme.enqueue(NewTask.of("k", PAYLOAD)));
    assertNothingIsToldOf(PAYLOAD);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:mysql://localhost/db?password=" + PASSWORD,
        "postgresql://joe:" + PASSWORD + "@localhost/db",
        "jdbc:postgresql://localhost:port/db?password=" + PASSWORD,
      })
  void urlsThatDoNotWorkAreNotShown(String url) {
    tell(
        () -> {
          try (Rota rota = Rota.connect(url)) {
            rota.tenants().find("acme");
          }
        });
    assertNothingIsToldOf(PASSWORD);
  }

  private String urlWithPassword() {
    return fixture.database().jdbcUrl().replaceAll("&password=.*", "") + "&password=" + PASSWORD;
  }

  /** What others who may look at the server see. */
  private void listenToTheServer() throws Exception {
    said.addAll(fixture.texts("select application_name || ': ' || query from pg_stat_activity"));
  }

  private void tell(Runnable action) {
    assertThatThrownBy(action::run)
        .satisfies(
            e -> {
              StringWriter trace = new StringWriter();
              // A cause is the driver's own, with what the server says of the row.
              said.add(String.valueOf(e.getMessage()));
              if (!(e instanceof DatabaseException)) {
                e.printStackTrace(new PrintWriter(trace));
                said.add(trace.toString());
              }
            });
  }

  private void assertNothingIsToldOf(String... secrets) {
    List<String> all = new ArrayList<>(said);
    for (String secret : secrets) {
      assertThat(all).filteredOn(text -> text.contains(secret)).isEmpty();
    }
  }

  /** Hears what is logged through SLF4J. */
  private final class Ear extends AppenderBase<ILoggingEvent> {
    @Override
    protected void append(ILoggingEvent event) {
      if (event.getLoggerName().startsWith("io.zonky")) {
        // What the server of this test says, in its own log.
        return;
      }
      IThrowableProxy thrown = event.getThrowableProxy();
      said.add(
          event.getThreadName()
              + " "
              + event.getFormattedMessage()
              + (thrown == null ? "" : ThrowableProxyUtil.asString(thrown)));
    }
  }

  /** Hears what the driver logs. */
  private final class DriversEar extends Handler {
    @Override
    public void publish(LogRecord entry) {
      said.add(new java.util.logging.SimpleFormatter().format(entry));
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }
}
