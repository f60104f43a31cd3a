package dev.rota.jackson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.rota.Attempt;
import dev.rota.Given;
import dev.rota.InvalidTaskException;
import dev.rota.NewTask;
import dev.rota.PostgresVersions;
import dev.rota.Rota;
import dev.rota.RotaFixture;
import dev.rota.RotaTest;
import dev.rota.TaskState;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.spi.PayloadCodec;
import dev.rota.testing.Await;
import dev.rota.typed.Kind;
import dev.rota.typed.TaskKind;
import dev.rota.typed.TypeToken;
import dev.rota.typed.TypedTask;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests tasks with values in JSON, from the producer to the handler. */
@RotaTest
@PostgresVersions({15, 18})
class JacksonTasksTest {

  private static final Kind<SendMail> SEND_MAIL =
      Kind.of("email.send", SendMail.class).formerly("mail.send");
  private static final Kind<List<SendMail>> DIGEST =
      Kind.of("email.digest", new TypeToken<List<SendMail>>() {});

  private final Queue<SendMail> seen = new ConcurrentLinkedQueue<>();
  @Given private RotaFixture fixture;

  record SendMail(String to, int copies) {}

  interface MailTasks {
    @TaskKind("email.call")
    long send(SendMail mail);
  }

  enum Codec {
    JACKSON_2(Jackson2Codec.create()),
    JACKSON_3(JacksonCodec.create());

    @SuppressWarnings("ImmutableEnumChecker")
    final PayloadCodec codec;

    Codec(PayloadCodec codec) {
      this.codec = codec;
    }
  }

  @ParameterizedTest
  @EnumSource
  void valuesAreStoredAsJsonAndReadAgain(Codec codec) throws Exception {
    Rota rota = fixture.another(builder -> builder.payloadCodec(codec.codec));
    Tenant acme = rota.tenants().register("acme");
    acme.enqueueAll(List.of(SEND_MAIL.task(mail("joe")), SEND_MAIL.task(mail("ann"))));
    acme.enqueue(DIGEST.task(List.of(mail("bob"), mail("sue"))));
    long call = acme.tasks(MailTasks.class).send(mail("tim"));
    // Of another language, and of a version that had another name and more properties.
    fixture.execute("select rota.enqueue('acme', 'mail.send', '{\"to\":\"eve\",\"cc\":\"x\"}')");
    try (Worker worker =
        rota.worker()
            .handleBatch(
                SEND_MAIL, mails -> mails.stream().map(TypedTask::value).forEach(seen::add))
            .handle(DIGEST, (mails, task) -> seen.addAll(mails))
            .handle(MailTasks.class, received())
            .start()) {
      Await.until("all done", () -> worker.statistics().done(), 5);
    }
    assertThat(seen)
        .extracting(SendMail::to)
        .containsExactlyInAnyOrder("joe", "ann", "bob", "sue", "tim", "eve");
    assertThat(acme.history().scanAttempts(call).get(0).payload())
        .isEqualTo("{\"to\":\"tim\",\"copies\":1}");
  }

  private MailTasks received() {
    return mail -> {
      seen.add(mail);
      return 0;
    };
  }

  @ParameterizedTest
  @EnumSource
  void aPayloadThatCannotBeReadIsDeadWithKindPathAndColumn(Codec codec) throws Exception {
    Rota rota = fixture.another(builder -> builder.payloadCodec(codec.codec));
    Tenant acme = rota.tenants().register("acme");
    long id = acme.enqueue(NewTask.of("email.send", "{\"to\": \"joe\", \"copies\": \"two\"}"));
    long digest = acme.enqueue(NewTask.of("email.digest", "[{\"to\": \"joe\"}, {\"to\": [1]}]"));
    acme.enqueue(SEND_MAIL.task(mail("ann")));
    try (Worker worker =
        rota.worker()
            .handle(SEND_MAIL, (mail, task) -> seen.add(mail))
            .handle(DIGEST, (mails, task) -> seen.addAll(mails))
            .start()) {
      Await.until("both are dead", () -> worker.statistics().dead(), 2);
      Await.until("the other one is done", () -> worker.statistics().done(), 1);
    }
    assertThat(acme.history().scanStates())
        .containsEntry(TaskState.DEAD, 2L)
        .containsEntry(TaskState.DONE, 1L);
    Attempt attempt = acme.history().scanAttempts(id).get(0);
    assertThat(attempt.error())
        .contains(
            "dev.rota.FatalTaskException: payload of kind 'email.send' cannot be read as "
                + SendMail.class.getTypeName()
                + "\ncaused by dev.rota.spi.PayloadException: $.copies: no int");
    assertThat(attempt.stack()).contains("at line 1, column 25");
    Attempt second = acme.history().scanAttempts(digest).get(0);
    assertThat(second.error().orElseThrow())
        .contains("kind 'email.digest'", "$[1].to: no java.lang.String");
    assertThat(second.stack()).contains("at line 1, column 24");
  }

  @ParameterizedTest
  @EnumSource
  void aValueThatIsTooLargeIsRefusedAsATextIs(Codec codec) {
    Rota rota = fixture.another(b -> b.payloadCodec(codec.codec).payloadLimit(100));
    Tenant acme = rota.tenants().register("acme");
    List<NewTask> tasks =
        List.of(SEND_MAIL.task(mail("joe")), SEND_MAIL.task(mail("j".repeat(100))));
    assertThatExceptionOfType(InvalidTaskException.class)
        .isThrownBy(() -> acme.enqueueAll(tasks))
        .withMessageContaining("task 1 of the list: payload has 120 bytes; the limit is 100");
    assertThat(acme.claim(10).tasks()).isEmpty();
  }

  private static SendMail mail(String to) {
    return new SendMail(to, 1);
  }
}
