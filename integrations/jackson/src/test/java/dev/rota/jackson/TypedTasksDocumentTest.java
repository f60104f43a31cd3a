package dev.rota.jackson;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.RotaFixture;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.jackson.TypedTasksExample.MailTasks;
import dev.rota.jackson.TypedTasksExample.SendMail;
import dev.rota.testing.Await;
import dev.rota.testing.Documents;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that the examples in docs/typed-tasks.md are these compiled ones, and run. */
class TypedTasksDocumentTest {

  private static final String DOCUMENT = "docs/typed-tasks.md";
  private static final String EXAMPLE =
      "integrations/jackson/src/test/java/dev/rota/jackson/TypedTasksExample.java";

  private final Queue<String> sent = new ConcurrentLinkedQueue<>();

  @ParameterizedTest
  @ValueSource(
      strings = {"kind", "codec", "use", "former", "interface", "calls", "generic", "stages"})
  void showsTheCompiledExamples(String region) {
    assertThat(Documents.blocks(DOCUMENT, "java")).contains(Documents.region(EXAMPLE, region));
  }

  @Test
  void namesTheArtifactOfThisModule() {
    String version = Documents.text("pom.xml").split("<version>", 2)[1].split("</version>", 2)[0];
    assertThat(Documents.blocks(DOCUMENT, "xml"))
        .singleElement()
        .asString()
        .contains("<artifactId>rota-jackson</artifactId>", "<version>" + version + "</version>");
  }

  @Test
  void examplesRun() throws Exception {
    try (RotaFixture fixture = RotaFixture.open();
        Rota rota = TypedTasksExample.build(fixture.database().dataSource())) {
      Tenant acme = rota.tenants().register("acme");
      try (Worker worker = TypedTasksExample.work(rota, acme, this::send)) {
        Await.until("the first is sent", () -> worker.statistics().done(), 1);
      }
      try (Worker worker = TypedTasksExample.call(rota, acme, service())) {
        acme.enqueue(TypedTasksExample.DIGEST.task(List.of(new SendMail("sue", "digest"))));
        Await.until("two are called", () -> worker.statistics().done(), 2);
      }
      try (Worker worker = TypedTasksExample.post(rota, acme, this::send)) {
        Await.until("both stages are done", () -> worker.statistics().done(), 2);
      }
      acme.enqueue(NewTask.of("send-mail", "{\"to\": \"old\", \"template\": \"welcome\"}"));
      try (Worker worker =
          rota.worker()
              .handle(TypedTasksExample.RENAMED, (mail, task) -> send(mail, task.attempt()))
              .start()) {
        Await.until("the old one is sent", () -> worker.statistics().done(), 1);
      }
    }
    assertThat(sent)
        .containsExactlyInAnyOrder(
            "joe@example.org welcome 1",
            "ann@example.org welcome",
            "sue digest",
            "joe@example.org news 1",
            "old welcome 1");
  }

  private void send(SendMail mail, int attempt) {
    sent.add(mail.to() + " " + mail.template() + " " + attempt);
  }

  private MailTasks service() {
    return new MailTasks() {
      @Override
      public void send(SendMail mail) {
        sent.add(mail.to() + " " + mail.template());
      }

      @Override
      public long sendDigest(List<SendMail> mails) {
        mails.forEach(this::send);
        return 0;
      }
    };
  }
}
