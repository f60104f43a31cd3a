package dev.rota.typed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.rota.Attempt;
import dev.rota.Given;
import dev.rota.InvalidTaskException;
import dev.rota.NewTask;
import dev.rota.RetryPolicy;
import dev.rota.Rota;
import dev.rota.RotaFixture;
import dev.rota.RotaTest;
import dev.rota.TaskState;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.testing.Await;
import java.io.IOException;
import java.sql.Connection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests interfaces whose calls are tasks. */
@RotaTest
class TaskInterfaceTest {

  private static final Mail JOE = new Mail("joe", 2);

  private final Queue<Object> seen = new ConcurrentLinkedQueue<>();
  @Given private RotaFixture fixture;
  private Rota rota;
  private Tenant acme;

  interface MailTasks {
    @TaskKind(value = "email.send", formerly = "mail.send")
    void send(Mail mail) throws IOException;

    @TaskKind("email.several")
    long several(List<Mail> mails);

    @TaskKind("email.text")
    long send(String text);

    @TaskKind("email.clean")
    void clean();
  }

  private final class MailService implements MailTasks {

    @Override
    public void send(Mail mail) throws IOException {
      if (mail.copies() < 0) {
        throw new IOException("copies are negative");
      }
      if (mail.copies() == 0) {
        throw new AssertionError("no copies");
      }
      seen.add(mail);
    }

    @Override
    public long several(List<Mail> mails) {
      seen.addAll(mails);
      return 0;
    }

    @Override
    public long send(String text) {
      seen.add(text);
      return 0;
    }

    @Override
    public void clean() {
      seen.add("clean");
    }
  }

  @BeforeEach
  void open() {
    rota = fixture.another(builder -> builder.payloadCodec(new Mail.Codec()));
    acme = rota.tenants().register("acme");
  }

  @Test
  void callsOfAProducerAreCallsOfTheService() throws Exception {
    MailTasks mails = acme.tasks(MailTasks.class);
    mails.send(JOE);
    long id = mails.several(List.of(new Mail("ann", 1)));
    mails.send("hello");
    mails.clean();
    acme.enqueue(NewTask.of("mail.send", "old*1"));
    try (Worker worker = rota.worker().handle(MailTasks.class, new MailService()).start()) {
      Await.until("all done", () -> worker.statistics().done(), 5);
    }
    assertThat(seen)
        .containsExactlyInAnyOrder(JOE, new Mail("ann", 1), "hello", "clean", new Mail("old", 1));
    Attempt several = acme.history().scanAttempts(id).get(0);
    assertThat(several.kind() + " " + several.payload()).isEqualTo("email.several ann*1");
    assertThat(fixture.texts("select payload from rota_1.task_hist_1 where kind = 'email.clean'"))
        .containsExactly("{}");
  }

  @Test
  void aCallMayBePartOfTheCallersTransaction() throws Exception {
    try (Connection connection = fixture.begin()) {
      acme.tasks(connection, MailTasks.class).send("undone");
      connection.rollback();
      acme.tasks(connection, MailTasks.class).send("done");
      assertThat(acme.claim(10).tasks()).isEmpty();
      connection.commit();
    }
    assertThat(acme.claim(10).tasks()).singleElement().matches(t -> t.payload().equals("done"));
  }

  /** As if the service were a handler: without frames of reflection. */
  @Test
  void whatTheServiceThrowsIsTheErrorOfTheTask() throws Exception {
    long failing = acme.enqueue(Mail.SEND.task(new Mail("joe", -1)));
    long broken = acme.enqueue(Mail.SEND.task(new Mail("joe", 0)));
    try (Worker worker =
        rota.worker()
            .retry(RetryPolicy.never())
            .handle(MailTasks.class, new MailService())
            .start()) {
      Await.until("both are dead", () -> worker.statistics().dead(), 2);
    }
    Attempt attempt = acme.history().scanAttempts(failing).get(0);
    assertThat(attempt.error()).contains("java.io.IOException: copies are negative");
    assertThat(attempt.stack().orElseThrow().lines())
        .singleElement()
        .asString()
        .startsWith("at dev.rota.typed.TaskInterfaceTest$MailService.send(TaskInterfaceTest.java:");
    assertThat(acme.history().scanAttempts(broken).get(0).error())
        .contains("java.lang.AssertionError: no copies");
    assertThat(acme.history().scanStates()).containsEntry(TaskState.DEAD, 2L);
  }

  @Test
  void anInstanceIsAnObject() {
    MailTasks mails = acme.tasks(MailTasks.class);
    assertThat(mails)
        .hasToString("MailTasks of tenant 'acme' (1)")
        .isEqualTo(mails)
        .hasSameHashCodeAs(mails)
        .isNotEqualTo(acme.tasks(MailTasks.class));
    assertThat(acme.claim(10).tasks()).isEmpty();
  }

  @Test
  void aCallThatEnqueuesNothingThrows() {
    assertThatExceptionOfType(InvalidTaskException.class)
        .isThrownBy(() -> acme.tasks(MailTasks.class).send("\0"))
        .withMessageContaining("payload has a NUL");
    Rota plain = fixture.rota();
    assertThatIllegalStateException()
        .isThrownBy(() -> plain.worker().handle(MailTasks.class, new MailService()))
        .withMessageContaining("and this Rota has no codec for them");
  }

  @Test
  void twoServicesOfOneKindAreRefused() {
    Worker.Builder worker = rota.worker().handle(MailTasks.class, new MailService());
    assertThatIllegalArgumentException()
        .isThrownBy(() -> worker.handle(MailTasks.class, new MailService()))
        .withMessageContaining("has a handler already");
  }

  interface Twice {
    @TaskKind("a")
    void first();

    @TaskKind(value = "b", formerly = "a")
    void second();
  }

  interface NoKind {
    void first();
  }

  interface Pair {
    @TaskKind("a")
    void first(String one, String two);
  }

  interface Answer {
    @TaskKind("a")
    String first(String one);
  }

  interface Boxed {
    @TaskKind("a")
    Long first(String one);
  }

  interface Malformed {
    @TaskKind("a b")
    void first(String one);
  }

  interface Generic<T> {
    @TaskKind("a")
    void first(List<T> values);
  }

  interface Variable {
    @TaskKind("a")
    <T> void first(T value);
  }

  interface Parent<T> {
    @TaskKind("a")
    void first(T value);
  }

  interface Child extends Parent<Mail> {
    @Override
    @TaskKind("a")
    void first(Mail value);
  }

  interface Empty {}

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Twice | has kind 'a', as Twice.",
        "NoKind | method NoKind.first has no kind; annotate it with @TaskKind(\"...\")",
        "Pair | method Pair.first has several parameters; give it one",
        "Answer | method Answer.first returns a value; let it return void, or long",
        "Boxed | method Boxed.first returns a value; let it return void, or long",
        "Malformed | method Malformed.first stands for no task: kind 'a b' is malformed",
        "Generic | method Generic.first stands for no task: values of kind 'a' have the type",
        "Variable | method Variable.first stands for no task: values of kind 'a' have the type T,",
        "Child | method Child.first is inherited with another type; declare it in one interface",
        "Empty | Empty has no method; give each task a method with @TaskKind",
      })
  @Tag("exhaustive")
  void aBadInterfaceIsRefusedAtOnceWithItsMethod(String name, String message) throws Exception {
    Class<?> bad = Class.forName(TaskInterfaceTest.class.getName() + "$" + name);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> acme.tasks(bad))
        .withMessageContaining(message);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> handle(bad))
        .withMessageContaining(message);
  }

  private <I> Worker.Builder handle(Class<I> tasks) {
    @SuppressWarnings("unchecked")
    I service = (I) new Object();
    return rota.worker().handle(tasks, service);
  }

  @Test
  void aClassIsNoInterface() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> acme.tasks(MailService.class))
        .withMessageEndingWith(
            "MailService is a class; give the interface whose methods have @TaskKind");
  }
}
