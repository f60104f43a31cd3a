package dev.rota.typed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.rota.Attempt;
import dev.rota.Batch;
import dev.rota.DeliveryMode;
import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.RotaFixture;
import dev.rota.RotaTest;
import dev.rota.TaskState;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.pipeline.Pipeline;
import dev.rota.pipeline.StageResult;
import dev.rota.testing.Await;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests stages of pipelines with values. */
@RotaTest
class TypedStagesTest {

  private static final Pipeline POST = Pipeline.named("post").stage("sort").stage("send").build();
  private static final Kind<Mail> SORT =
      Kind.of(POST.kind("sort"), Mail.class).formerly("post/collect");
  private static final Kind<Mail> SEND = Kind.of(POST.kind("send"), Mail.class);
  private static final Mail JOE = new Mail("joe", 2);

  private final Queue<String> seen = new ConcurrentLinkedQueue<>();
  @Given private RotaFixture fixture;
  private Rota rota;
  private Tenant acme;

  @BeforeEach
  void open() {
    rota = fixture.another(builder -> builder.payloadCodec(new Mail.Codec()));
    acme = rota.tenants().register("acme");
  }

  @Test
  void aTaskTakesAValueToTheNextStage() throws Exception {
    long id = acme.enqueue(SORT.task(JOE));
    long former = acme.enqueue(NewTask.of("post/collect", "ann*1"));
    try (Worker worker =
        rota.worker()
            .stage(POST, SORT, (mail, task) -> StageResult.moveTo(SEND, more(mail)))
            .stage(POST, SEND, (mail, task) -> finished(mail))
            .start()) {
      Await.until("all stages are done", () -> worker.statistics().done(), 4);
    }
    assertThat(seen).containsExactlyInAnyOrder("joe 3", "ann 2");
    assertThat(acme.history().scanAttempts(id))
        .extracting(Attempt::payload)
        .containsExactly("joe*2", "joe*3");
    assertThat(acme.history().scanAttempts(former))
        .extracting(Attempt::kind)
        .containsExactly("post/collect", "post/send");
  }

  /** A former name is no stage of the pipeline, and yet has a next one. */
  @Test
  void theNextStageIsThatAfterTheKind() throws Exception {
    long former = acme.enqueue(NewTask.of("post/collect", "ann*1"));
    try (Worker worker =
        rota.worker()
            .stage(POST, SORT, (mail, task) -> StageResult.next())
            .stage(POST, SEND, (mail, task) -> finished(mail))
            .start()) {
      Await.until("all stages are done", () -> worker.statistics().done(), 2);
    }
    assertThat(acme.history().scanAttempts(former))
        .extracting(Attempt::kind)
        .containsExactly("post/collect", "post/send");
  }

  @Test
  void inATransactionToo() throws Exception {
    acme.enqueue(SORT.task(JOE));
    try (Worker worker =
        rota.worker()
            .delivery(DeliveryMode.TRANSACTIONAL)
            .stageInTransaction(
                POST, SORT, (mail, task, connection) -> StageResult.moveTo(SEND, more(mail)))
            .stageInTransaction(POST, SEND, (mail, task, connection) -> finished(mail))
            .start()) {
      Await.until("both stages are done", () -> worker.statistics().done(), 2);
    }
    assertThat(seen).containsExactly("joe 3");
  }

  @Test
  void aStageElsewhereOrAValueThatCannotBeWrittenEndsTheTask() throws Exception {
    long elsewhere = acme.enqueue(SORT.task(JOE));
    long unwritable = acme.enqueue(SEND.task(JOE));
    Kind<Integer> wrong = Kind.of(POST.kind("send"), Integer.class);
    try (Worker worker =
        rota.worker()
            .stage(POST, SORT, (mail, task) -> StageResult.moveTo(Mail.SEND, mail))
            .stage(POST, SEND, (mail, task) -> StageResult.moveTo(wrong, 1))
            .start()) {
      Await.until("both are dead", () -> worker.statistics().dead(), 2);
    }
    assertThat(acme.history().scanAttempts(elsewhere).get(0).error())
        .contains(
            "done, but cannot continue: kind 'email.send' is no stage of Pipeline[post: sort,"
                + " send]");
    assertThat(acme.history().scanAttempts(unwritable).get(0).error())
        .contains(
            "done, but cannot continue: value of java.lang.Integer cannot be written as payload of"
                + " kind 'post/send': this is no mail");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> rota.worker().stage(POST, Mail.SEND, (mail, task) -> finished(mail)))
        .withMessage("kind 'email.send' is no stage of Pipeline[post: sort, send]");
  }

  @Test
  void aBatchMovesATaskWithAValue() {
    acme.enqueue(SORT.task(JOE));
    try (Batch batch = acme.claim(1)) {
      StageResult result = StageResult.moveTo(SEND, more(JOE));
      assertThat(result).hasToString("StageResult[moveTo post/send]");
      batch.move(batch.tasks().get(0), POST, result);
      batch.settle();
    }
    try (Batch batch = acme.claim(1)) {
      assertThat(batch.tasks().get(0).payload()).isEqualTo("joe*3");
    }
    assertThat(acme.history().scanStates()).containsEntry(TaskState.DONE, 1L);
  }

  private static Mail more(Mail mail) {
    return new Mail(mail.to(), mail.copies() + 1);
  }

  private StageResult finished(Mail mail) {
    seen.add(mail.to() + " " + mail.copies());
    return StageResult.finish();
  }
}
