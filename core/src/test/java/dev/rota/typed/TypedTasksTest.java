package dev.rota.typed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.rota.Attempt;
import dev.rota.Batch;
import dev.rota.DeliveryMode;
import dev.rota.Given;
import dev.rota.InvalidTaskException;
import dev.rota.NewTask;
import dev.rota.RetryPolicy;
import dev.rota.Rota;
import dev.rota.RotaFixture;
import dev.rota.RotaTest;
import dev.rota.Task;
import dev.rota.TaskState;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.graph.TaskGraph;
import dev.rota.schedule.InvalidScheduleException;
import dev.rota.schedule.Schedule;
import dev.rota.testing.Await;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests values on their way into the database and to their handlers. */
@RotaTest
class TypedTasksTest {

  private static final Mail JOE = new Mail("joe", 2);
  private static final Kind<Mail> RENAMED = Mail.SEND.formerly("mail.send");
  private static final Kind<List<Mail>> SEVERAL =
      Kind.of("email.several", new TypeToken<List<Mail>>() {});

  private final Queue<Object> seen = new ConcurrentLinkedQueue<>();
  @Given private RotaFixture fixture;
  private Rota rota;
  private Tenant acme;

  @BeforeEach
  void open() {
    rota = fixture.another(builder -> builder.payloadCodec(new Mail.Codec()));
    acme = rota.tenants().register("acme");
  }

  @Test
  void everyWayToEnqueueWritesTheValue() throws Exception {
    acme.enqueue(Mail.SEND.task(new Mail("a", 1)));
    acme.enqueueAll(List.of(Mail.SEND.task(new Mail("b", 1)), NewTask.of("email.send", "c*1")));
    acme.enqueueAsync(Mail.SEND.task(new Mail("d", 1)).withKey("d")).join();
    try (Connection connection = fixture.begin()) {
      acme.enqueue(connection, Mail.SEND.task(new Mail("e", 1)));
      connection.commit();
    }
    acme.graphs().enqueue(twoMails());
    acme.schedules()
        .add(Schedule.every("s", Duration.ofHours(1), Mail.SEND.task(new Mail("h", 1))));
    acme.schedules().run("s");
    try (Worker worker = rota.worker().handle(Mail.SEND, (mail, task) -> seen.add(mail)).start()) {
      Await.until("all ran", () -> worker.statistics().done(), 8);
    }
    assertThat(seen)
        .containsExactlyInAnyOrderElementsOf(
            Stream.of("a", "b", "c", "d", "e", "f", "g", "h").map(to -> new Mail(to, 1)).toList());
  }

  private static TaskGraph twoMails() {
    TaskGraph.Builder graph = TaskGraph.builder();
    TaskGraph.Node first = graph.add(Mail.SEND.task(new Mail("f", 1)));
    graph.add(Mail.SEND.task(new Mail("g", 1))).dependsOn(first);
    return graph.build();
  }

  /** A process adds its schedules at every start. */
  @Test
  void anEqualScheduleOfAValueStaysAsItIs() {
    Schedule schedule = Schedule.every("s", Duration.ofHours(1), Mail.SEND.task(JOE));
    assertThat(acme.schedules().add(schedule).schedule().task().payload()).isEqualTo("joe*2");
    assertThat(acme.schedules().add(schedule).nextRunAt())
        .isEqualTo(acme.schedules().find("s").orElseThrow().nextRunAt());
  }

  @Test
  void aHandlerGetsTheValueWithItsTask() throws Exception {
    long id = acme.enqueue(SEVERAL.task(List.of(JOE, new Mail("ann", 1))).priority(3));
    try (Worker worker =
        rota.worker()
            .handle(
                SEVERAL,
                (mails, task) ->
                    seen.add(mails.get(1).to() + task.id() + task.kind() + task.priority()))
            .start()) {
      Await.until("done", () -> worker.statistics().done(), 1);
    }
    assertThat(seen).containsExactly("ann" + id + "email.several3");
  }

  @Test
  void tasksUnderAFormerNameRunWithTheSettingsOfTheNewOne() throws Exception {
    acme.enqueue(NewTask.of("mail.send", "old*1"));
    acme.enqueue(RENAMED.task(new Mail("new", 1)));
    try (Worker worker =
        rota.worker()
            .retry(RENAMED.name(), RetryPolicy.never())
            .timeLimit(RENAMED.name(), Duration.ofMillis(50))
            .handle(RENAMED, (mail, task) -> hang(task))
            .start()) {
      Await.until("both are dead", () -> worker.statistics().dead(), 2);
    }
    assertThat(seen).containsExactlyInAnyOrder("mail.send", "email.send");
    assertThat(fixture.texts("select distinct error from rota_1.task_hist_1"))
        .singleElement()
        .asString()
        .startsWith("java.util.concurrent.TimeoutException");
  }

  private void hang(Task task) throws InterruptedException {
    seen.add(task.kind());
    new Semaphore(0).acquire();
  }

  @Test
  void aSettingOfTheFormerNameHoldsForIt() throws Exception {
    acme.enqueue(NewTask.of("mail.send", "old*1"));
    acme.enqueue(RENAMED.task(JOE));
    try (Worker worker =
        rota.worker()
            .retry(RENAMED.name(), RetryPolicy.never())
            .retry("mail.send", RetryPolicy.fixed(2, Duration.ofHours(1)))
            .handle(
                RENAMED,
                (mail, task) -> {
                  throw new IllegalStateException("no connection");
                })
            .start()) {
      Await.until("one is dead", () -> worker.statistics().dead(), 1);
      Await.until("one waits", () -> worker.statistics().failed(), 1);
    }
    assertThat(fixture.texts("select kind from rota_1.task_wait_1")).containsExactly("mail.send");
  }

  @Test
  void aKindSharesItsConcurrencyWithItsFormerNames() throws Exception {
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    Semaphore never = new Semaphore(0);
    acme.enqueueAll(Collections.nCopies(50, NewTask.of("mail.send", "old*1")));
    acme.enqueueAll(Collections.nCopies(50, RENAMED.task(JOE)));
    acme.enqueueAll(Collections.nCopies(50, NewTask.of("other", "{}")));
    try (Worker worker =
        rota.worker()
            .concurrency(4)
            .concurrency(RENAMED.name(), 1)
            .handle("other", task -> {})
            .handle(
                RENAMED,
                (mail, task) -> {
                  most.accumulateAndGet(running.incrementAndGet(), Math::max);
                  assertThat(never.tryAcquire(2, TimeUnit.MILLISECONDS)).isFalse();
                  running.decrementAndGet();
                })
            .start()) {
      Await.until("all done", () -> worker.statistics().done(), 150);
    }
    assertThat(most).hasValue(1);
  }

  @Test
  void aFormerNameHasOneHandler() {
    Worker.Builder worker = rota.worker().handle("mail.send", task -> {});
    assertThatIllegalArgumentException()
        .isThrownBy(() -> worker.handle(RENAMED, (mail, task) -> {}))
        .withMessage("kind 'mail.send' has a handler already");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> rota.worker().handle(RENAMED.formerly("a b"), (mail, task) -> {}))
        .withMessageContaining("'a b' is malformed");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> rota.worker().handle(Kind.of("a b", Mail.class), (mail, task) -> {}))
        .withMessageContaining("'a b' is malformed");
  }

  @Test
  void aValueThatCannotBeWrittenIsRefusedWithItsKind() {
    Kind<Integer> wrong = Kind.of("count", int.class);
    assertThatExceptionOfType(InvalidTaskException.class)
        .isThrownBy(() -> acme.enqueueAll(List.of(Mail.SEND.task(JOE), wrong.task(1))))
        .withMessage(
            "task 1 of the list: value of java.lang.Integer cannot be written as payload of kind"
                + " 'count': this is no mail")
        .withCauseInstanceOf(IllegalArgumentException.class)
        .satisfies(refused -> assertThat(refused.field()).isEqualTo("payload"));
    assertThatExceptionOfType(InvalidTaskException.class)
        .isThrownBy(() -> acme.enqueue(Mail.SEND.task(new Mail("\0", 1))))
        .withMessageContaining("payload has a NUL at index 0");
    assertThatExceptionOfType(InvalidScheduleException.class)
        .isThrownBy(
            () -> acme.schedules().add(Schedule.every("s", Duration.ofHours(1), wrong.task(1))))
        .withMessageContaining("schedule 's' of tenant 'acme'")
        .withMessageContaining("kind 'count'");
    assertThat(acme.claim(10).tasks()).isEmpty();
  }

  @Test
  void withoutACodecOnlyTextsAreTaken() throws Exception {
    Rota plain = fixture.rota();
    Tenant tenant = plain.tenants().get("acme");
    String remedy =
        "kind 'email.send' has payloads of dev.rota.typed.Mail, and this Rota has no codec for"
            + " them: add the dependency dev.rota:rota-jackson, and call"
            + " Rota.Builder.payloadCodec(JacksonCodec.create())";
    assertThatIllegalStateException()
        .isThrownBy(() -> tenant.enqueue(Mail.SEND.task(JOE)))
        .withMessage(remedy);
    assertThatIllegalStateException()
        .isThrownBy(() -> plain.worker().handle(Mail.SEND, (mail, task) -> {}))
        .withMessage(remedy);
    Kind<String> text = Kind.of("text", String.class);
    tenant.enqueue(text.task("{\"a\": 1}"));
    try (Worker worker = plain.worker().handle(text, (line, task) -> seen.add(line)).start()) {
      Await.until("done", () -> worker.statistics().done(), 1);
    }
    assertThat(seen).containsExactly("{\"a\": 1}");
  }

  @Test
  void inATransactionAHandlerGetsTheValueAndTheConnection() throws Exception {
    fixture.execute("create table sent (name text)");
    acme.enqueue(NewTask.of("mail.send", "old*1"));
    acme.enqueue(RENAMED.task(JOE));
    acme.enqueue(NewTask.of("email.send", "broken"));
    try (Worker worker =
        rota.worker()
            .delivery(DeliveryMode.TRANSACTIONAL)
            .handleInTransaction(RENAMED, (mail, task, connection) -> insert(connection, mail))
            .start()) {
      Await.until("done", () -> worker.statistics().done(), 2);
      Await.until("one is dead", () -> worker.statistics().dead(), 1);
    }
    assertThat(fixture.texts("select name from sent order by name")).containsExactly("joe", "old");
  }

  private static void insert(Connection connection, Mail mail) throws Exception {
    try (PreparedStatement insert = connection.prepareStatement("insert into sent values (?)")) {
      insert.setString(1, mail.to());
      insert.executeUpdate();
    }
  }

  /** The low-level pair under the worker sees texts. */
  @Test
  void aClaimedTaskHasTheWrittenPayload() {
    acme.enqueue(Mail.SEND.task(JOE));
    try (Batch batch = acme.claim(1)) {
      assertThat(batch.tasks()).extracting(Task::payload).containsExactly("joe*2");
      batch.settle();
    }
    assertThat(acme.history().scanStates()).containsEntry(TaskState.DONE, 1L);
  }

  @Test
  void fireAndForgetReadsTheValueToo() throws Exception {
    long id = acme.enqueue(Mail.SEND.task(JOE));
    try (Worker worker =
        rota.worker()
            .delivery(DeliveryMode.FIRE_AND_FORGET)
            .handle(Mail.SEND, (mail, task) -> seen.add(mail))
            .start()) {
      Await.until("ran", () -> seen.size(), 1);
    }
    assertThat(acme.history().scanAttempts(id))
        .extracting(Attempt::payload)
        .containsExactly("joe*2");
  }
}
