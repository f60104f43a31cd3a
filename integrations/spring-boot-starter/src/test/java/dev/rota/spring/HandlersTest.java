package dev.rota.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rota.Attempt;
import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.Task;
import dev.rota.TaskState;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.testing.Await;
import dev.rota.testing.TestDatabase;
import dev.rota.typed.Kind;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Tests that tasks run by annotated methods of beans, and that mistakes in them end the start. */
class HandlersTest {

  private static final Kind<Mail> MAIL = Kind.of("email.send", Mail.class);
  private static final BlockingQueue<String> SEEN = new LinkedBlockingQueue<>();

  private final TestDatabase database = Contexts.migrated();

  record Mail(String to, int copies) {}

  static class Handlers {

    @RotaHandler(value = "email.send", formerly = "mail.send")
    void send(Mail mail, Task task) {
      SEEN.add(mail.to() + " " + mail.copies() + " " + task.attempt() + " " + task.kind());
    }

    @RotaHandler("${text.kind}")
    String text(String payload) {
      SEEN.add(payload);
      return "ignored";
    }

    @RotaHandler("digest")
    void digest(List<Mail> mails) {
      SEEN.add(mails.get(1).to());
    }

    @RotaHandler("tick")
    void tick() {
      SEEN.add("tick");
    }
  }

  static class InTransaction {

    @Transactional
    @RotaHandler("transactional")
    public void run(Task task) {
      SEEN.add(task.kind() + TransactionSynchronizationManager.isActualTransactionActive());
    }
  }

  static class Failing {

    @RotaHandler("fails")
    void fail() {
      throw new IllegalStateException("no mail today");
    }
  }

  static class Second {

    @RotaHandler("mail.send")
    void send() {}
  }

  static class TwoValues {

    @RotaHandler("k")
    void run(String one, String two) {}
  }

  static class WithConnection {

    @RotaHandler("k")
    void run(String payload, Connection connection) throws SQLException {
      SEEN.add(payload + " " + connection.getAutoCommit());
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Customized {

    @Bean
    RotaCustomizer<Worker.Builder> customKind() {
      return worker -> worker.handle("custom", task -> SEEN.add("custom " + task.payload()));
    }

    @Bean
    RotaCustomizer<Rota.Builder> smallPayloads() {
      return rota -> rota.payloadLimit(100);
    }
  }

  @AfterEach
  void close() {
    SEEN.clear();
    database.close();
  }

  private ApplicationContextRunner with(Class<?>... beans) {
    ApplicationContextRunner runner = Contexts.over(database).withPropertyValues("text.kind=text");
    for (Class<?> bean : beans) {
      runner = runner.withBean(bean);
    }
    return runner;
  }

  @Test
  void methodsTakeValuesTextsTasksOrNothing() {
    with(Handlers.class, InTransaction.class)
        .run(
            context -> {
              Tenant acme = context.getBean(Rota.class).tenants().get("acme");
              acme.enqueueAll(
                  List.of(
                      MAIL.task(new Mail("joe", 2)),
                      NewTask.of("mail.send", "{\"to\": \"ann\", \"copies\": 3, \"cc\": 1}"),
                      NewTask.of("mail.send", "{\"to\": \"tom\"}"),
                      NewTask.of("text", "as it is"),
                      NewTask.of(
                          "digest",
                          "[{\"to\": \"one\", \"copies\": 1}, {\"to\": \"two\", \"copies\": 2}]"),
                      NewTask.of("tick", ""),
                      NewTask.of("transactional", "")));
              assertThat(next(7))
                  .containsExactlyInAnyOrder(
                      "joe 2 1 email.send",
                      "ann 3 1 mail.send",
                      "tom 0 1 mail.send",
                      "as it is",
                      "two",
                      "tick",
                      "transactionaltrue");
            });
  }

  private static Queue<String> next(int count) throws InterruptedException {
    Queue<String> next = new ConcurrentLinkedQueue<>();
    for (int i = 0; i < count; i++) {
      String seen = SEEN.poll(60, TimeUnit.SECONDS);
      assertThat(seen).as("after %s", next).isNotNull();
      next.add(seen);
    }
    return next;
  }

  @Test
  void anUnreadablePayloadIsDeadAndAnErrorIsTheMethodsOwn() {
    with(Handlers.class, Failing.class)
        .withPropertyValues("rota.worker.kinds[fails].retry.max-attempts=1")
        .run(
            context -> {
              Tenant acme = context.getBean(Rota.class).tenants().get("acme");
              long unreadable = acme.enqueue(NewTask.of("email.send", "{\"copies\": \"two\"}"));
              long failed = acme.enqueue(NewTask.of("fails", ""));
              Await.until(
                  "dead", () -> acme.history().scanStates().getOrDefault(TaskState.DEAD, 0L), 2);
              assertThat(error(acme, unreadable)).contains("kind 'email.send'", "$.copies");
              assertThat(error(acme, failed))
                  .isEqualTo("java.lang.IllegalStateException: no mail today");
            });
  }

  private static String error(Tenant tenant, long id) {
    Attempt attempt = tenant.history().scanAttempts(id).get(0);
    return attempt.error().orElseThrow();
  }

  @Test
  void transactionalMethodsTakeTheConnectionOfTheClaim() {
    with(WithConnection.class)
        .withPropertyValues("rota.worker.delivery=transactional")
        .run(
            context -> {
              context.getBean(Rota.class).tenants().get("acme").enqueue(NewTask.of("k", "p"));
              assertThat(next(1)).containsExactly("p false");
            });
  }

  @Test
  void mistakesEndTheStart() {
    fails(
        "kind 'mail.send' has two handlers: Handlers.send and Second.send",
        Handlers.class,
        Second.class);
    fails("TwoValues.run takes two values of one sort", TwoValues.class);
    fails("takes a Connection, which only transactional delivery has", WithConnection.class);
  }

  private void fails(String problem, Class<?>... beans) {
    with(beans)
        .run(
            context ->
                assertThat(NestedExceptionUtils.getMostSpecificCause(context.getStartupFailure()))
                    .isInstanceOf(InvalidHandlerException.class)
                    .hasMessageContaining(problem));
  }

  @Test
  void virtualThreadsOfBootAreUsedWhereTheJdkHasThem() {
    with(Handlers.class)
        .withPropertyValues("spring.threads.virtual.enabled=true")
        .run(
            context -> {
              context.getBean(Rota.class).tenants().get("acme").enqueue(NewTask.of("tick", ""));
              assertThat(next(1)).containsExactly("tick");
            });
  }

  @Test
  void customizersAddWhatHasNoProperty() {
    with(Customized.class)
        .run(
            context -> {
              Tenant acme = context.getBean(Rota.class).tenants().get("acme");
              acme.enqueue(NewTask.of("custom", "p"));
              assertThat(next(1)).containsExactly("custom p");
              assertThatThrownBy(() -> acme.enqueue(NewTask.of("custom", "x".repeat(101))))
                  .hasMessageContaining("limit is 100");
            });
  }

  @Test
  void propertiesSwitchPartsOff() {
    with(Handlers.class)
        .withPropertyValues("rota.enabled=false")
        .run(context -> assertThat(context).doesNotHaveBean(Rota.class));
    with(Handlers.class)
        .withPropertyValues("rota.worker.enabled=false", "rota.daemon.enabled=false")
        .run(
            context ->
                assertThat(context)
                    .hasSingleBean(Rota.class)
                    .doesNotHaveBean(WorkerLifecycle.class)
                    .doesNotHaveBean(DaemonLifecycle.class));
    with()
        .run(
            context -> {
              assertThat(context.getBean(WorkerLifecycle.class).isRunning()).isFalse();
              assertThat(context.getBean(DaemonLifecycle.class).isRunning()).isTrue();
            });
  }
}
