package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rota.graph.TaskGraph;
import dev.rota.history.HistoryFilter;
import dev.rota.schedule.Schedule;
import dev.rota.testing.Eavesdropper;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that secrets in the URL, in payloads and in errors of handlers do not leak. They are in no
 * log at any level, no exception, no thread name, and no text of a statement.
 */
@RotaTest
class CanaryTest {

  private static final String PASSWORD = "canary-of-the-url";
  private static final String PAYLOAD = "canary-of-the-payload";
  private static final String ERROR = "canary-of-the-error";

  @Given private RotaFixture fixture;
  private Eavesdropper ear;

  @BeforeEach
  void listen() {
    ear = Eavesdropper.listen();
  }

  @AfterEach
  void stopListening() {
    ear.close();
  }

  @ParameterizedTest
  @EnumSource(DeliveryMode.class)
  @Tag("exhaustive")
  void workersTellNoSecrets(DeliveryMode mode) throws Exception {
    try (Rota rota = Rota.connect(urlWithPassword())) {
      rota.admin().migrate();
      Tenant acme = RotaFixture.tenant(rota, "acme");
      CountDownLatch ran = new CountDownLatch(4);
      try (Worker worker = worker(rota, mode, ran)) {
        for (int i = 0; i < 4; i++) {
          ear.hear(acme.enqueue(NewTask.of("k", "{\"at\":\"" + PAYLOAD + "\"}")) + " enqueued");
        }
        assertThat(ran.await(30, TimeUnit.SECONDS)).isTrue();
        listenToTheServer();
        Thread.getAllStackTraces().keySet().forEach(thread -> ear.hear(thread.getName()));
        ear.hear(worker + " " + rota + " " + acme + " " + worker.statistics());
      }
    }
    assertThat(ear.heard()).hasSizeGreaterThan(100);
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
    Tenant acme = fixture.tenant("acme");
    NewTask task = NewTask.of("k", PAYLOAD);
    TaskGraph.Builder graph = TaskGraph.builder();
    ear.hear(String.valueOf(graph.add(task)));
    ear.hear(String.valueOf(graph.build()));
    Schedule schedule = Schedule.every("hourly", Duration.ofHours(1), task);
    ear.hear(task + " " + schedule + " " + acme.schedules().add(schedule));
    ear.hear(acme.schedules().list() + " " + acme.schedules());
    acme.enqueueAll(List.of(task, task, task.after(Duration.ofHours(1))));
    try (Batch batch = acme.claim(2)) {
      ear.hear(batch + " " + batch.tasks());
      ear.hear(acme.control().longRunning(Duration.ZERO).toString());
      batch.dead(batch.tasks().get(0), ERROR);
      batch.fail(batch.tasks().get(1), ERROR, Duration.ofHours(1));
      ear.hear(String.valueOf(batch.settle()));
    }
    ear.hear(acme.history().page(HistoryFilter.all()).toString());
    ear.hear(acme.history().scanAttempts(1).toString());
    ear.hear(acme.history().scanErrorGroups(HistoryFilter.all()).toString());
    listenToTheServer();
    assertNothingIsToldOf(PAYLOAD, ERROR);
  }

  @Test
  void refusalsTellNoPayloads() throws Exception {
    Tenant acme = fixture.tenant("acme");
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
    fixture
        .texts("select application_name || ': ' || query from pg_stat_activity")
        .forEach(ear::hear);
  }

  private void tell(Runnable action) {
    assertThatThrownBy(action::run)
        .satisfies(
            e -> {
              StringWriter trace = new StringWriter();
              // A cause is the driver's own, with what the server says of the row.
              ear.hear(String.valueOf(e.getMessage()));
              if (!(e instanceof DatabaseException)) {
                e.printStackTrace(new PrintWriter(trace));
                ear.hear(trace.toString());
              }
            });
  }

  private void assertNothingIsToldOf(String... secrets) {
    assertThat(ear.tellingOf(secrets)).isEmpty();
  }
}
