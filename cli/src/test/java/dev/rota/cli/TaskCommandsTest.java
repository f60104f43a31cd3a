package dev.rota.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Batch;
import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.RotaTest;
import dev.rota.Task;
import dev.rota.TaskState;
import dev.rota.Tenant;
import dev.rota.pipeline.Pipeline;
import dev.rota.pipeline.StageResult;
import dev.rota.testing.TestDatabase;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests the operator's commands on tasks: errors, redrive, cancel, running, and waiting tasks. */
@RotaTest
class TaskCommandsTest {

  @Given private TestDatabase database;
  @Given private Tenant acme;

  @Test
  @Tag("exhaustive")
  void errorsAreShownGrouped() {
    die("mail", "too slow\ncaused by a\u001b[31m", 3);
    die("sms", "odd", 1);
    assertThat(call("errors", "acme").out())
        .containsPattern("ATTEMPTS +DEAD +FIRST +LAST +EXAMPLE +ERROR")
        .containsPattern("3 +3 .* too slow\n")
        .containsPattern("1 +1 .* odd\n")
        .doesNotContain("caused by");
    assertThat(call("errors", "acme", "--kind", "sms", "--json").out())
        .startsWith("[{\"error\":\"odd\",\"attempts\":1,\"dead\":1,\"firstAt\":\"")
        .doesNotContain("too slow");
    assertThat(call("errors", "acme", "--limit", "1", "--json").out())
        .contains("too slow\\ncaused by")
        .doesNotContain("odd");
    assertThat(call("errors", "acme", "--from", "2100-01-01T00:00:00Z", "--json").out())
        .isEqualTo("[]\n");
    assertThat(call("errors", "acme", "--to", "2001-01-01T00:00:00Z", "--json").out())
        .isEqualTo("[]\n");
  }

  @Test
  void aTaskShowsWhereItsLastAttemptFailed() {
    long id = acme.enqueue(NewTask.of("mail", "{}"));
    IOException cause = new IOException("reset\u001b[2J");
    cause.setStackTrace(new StackTraceElement[0]);
    IllegalStateException error = new IllegalStateException("boom", cause);
    error.setStackTrace(
        new StackTraceElement[] {new StackTraceElement("com.acme.Mailer", "send\nx", "M.java", 7)});
    try (Batch batch = acme.claim(1)) {
      batch.fail(batch.tasks().get(0), error);
      batch.settle();
    }
    assertThat(call("task", "acme", Long.toString(id)).out())
        .containsPattern("mail +1 +failed .* java.lang.IllegalStateException: boom\n")
        .endsWith(
            """

            Attempt 1, failed:
              java.lang.IllegalStateException: boom
              caused by java.io.IOException: reset?[2J
                at com.acme.Mailer.send?x(M.java:7)
            """);
    assertThat(call("task", "acme", Long.toString(id), "--json").out())
        .contains("\"error\":\"java.lang.IllegalStateException: boom\\ncaused by java.io")
        .contains("\"stack\":\"at com.acme.Mailer.send?x(M.java:7)\"");
    assertThat(call("history", "acme", "--format", "json").out()).contains("\"stack\":\"at com");
  }

  @Test
  @Tag("exhaustive")
  void prioritiesAreGivenAndChanged() {
    assertThat(call("tenant", "lane", "acme", "--priority", "-4").out())
        .isEqualTo("acme has a lane of priority -4.\n");
    String low = call("enqueue", "acme", "mail", "{}", "--priority", "-4").out().strip();
    call("enqueue", "acme", "mail", "{}");
    call("enqueue", "acme", "sms", "{}", "--priority", "8");
    acme.enqueue(NewTask.of("sms", "{}").priority(-4).after(Duration.ofHours(1)));
    assertThat(call("reprioritize", "acme", "--priority", "9", "--id", low).out()).isEqualTo("1\n");
    assertThat(call("reprioritize", "acme", "--priority", "0", "--kind", "sms").out())
        .isEqualTo("2\n");
    assertThat(call("reprioritize", "acme", "--priority", "1", "--key", "none").out())
        .isEqualTo("0\n");
    assertThat(call("reprioritize", "acme", "--priority", "1").err())
        .contains("name the tasks by a condition such as --kind, or say --all");
    for (String refused : new String[] {"1001", "high"}) {
      assertThat(call("reprioritize", "acme", "--priority", refused, "--all").err())
          .contains("'--priority'")
          .contains("'" + refused + "' is not a whole number from -1000 to 1000");
    }
    try (Rota other = Rota.connect(database.jdbcUrl());
        Batch batch = other.tenants().get("acme").claim(10)) {
      assertThat(batch.tasks()).extracting(Task::priority).containsExactly(9, 0, 0);
    }
  }

  @Test
  @Tag("exhaustive")
  void deadTasksRunAgain() {
    List<Long> mails = die("mail", "too slow", 3);
    die("sms", "odd", 2);
    String id = mails.get(0).toString();
    assertThat(call("redrive", "acme", "--all", "--dry-run").out()).isEqualTo("5\n");
    assertThat(call("redrive", "acme", "--error", "too slow", "--dry-run").out()).isEqualTo("3\n");
    assertThat(call("redrive", "acme", "--from", "2100-01-01T00:00:00Z", "--dry-run").out())
        .isEqualTo("0\n");
    assertThat(call("redrive", "acme", "--to", "2001-01-01T00:00:00Z", "--dry-run").out())
        .isEqualTo("0\n");
    assertThat(acme.history().scanStates()).containsEntry(TaskState.DEAD, 5L);
    assertThat(call("redrive", "acme", "--id", id, "--id", "-5").out()).isEqualTo("1\n");
    assertThat(call("redrive", "acme", "--kind", "sms", "--spread", "1h").out()).isEqualTo("2\n");
    assertThat(acme.history().scanStates())
        .containsEntry(TaskState.DEAD, 2L)
        .containsEntry(TaskState.PENDING, 1L)
        .containsEntry(TaskState.WAITING, 2L);
  }

  @Test
  void aRedriveNeedsAConditionOrAll() {
    for (String[] words :
        new String[][] {{"redrive", "acme"}, {"redrive", "acme", "--all", "--kind", "k"}}) {
      Invocation call = call(words);
      assertThat(call.code()).isEqualTo(2);
      assertThat(call.err()).contains("or say --all");
    }
    assertThat(call("redrive", "nobody", "--all").err()).contains("nobody");
    assertThat(call("errors", "nobody").err()).contains("nobody");
    assertThat(call("redrive", "acme", "--all", "--spread", "9999d").err()).contains("spreadOver");
  }

  @Test
  @Tag("exhaustive")
  void aTaskMayWait() {
    assertThat(call("enqueue", "acme", "mail", "{}", "--after", "15m").code()).isZero();
    assertThat(call("enqueue", "acme", "mail", "{}", "--at", "2100-01-01T00:00:00Z").code())
        .isZero();
    assertThat(acme.history().scanStates())
        .containsEntry(TaskState.WAITING, 2L)
        .containsEntry(TaskState.PENDING, 0L);
    assertThat(call("enqueue", "acme", "mail", "{}", "--at", "tomorrow").err()).contains("--at");
    assertThat(
            call("enqueue", "acme", "mail", "{}", "--after", "1s", "--at", "2100-01-01T00:00:00Z")
                .code())
        .isEqualTo(2);
    assertThat(call("enqueue", "acme", "mail", "{}", "--at", "9999-01-01T00:00:00Z").err())
        .contains("runAt is 9999-01-01T00:00:00Z");
  }

  @Test
  void runningTasksAreAskedToEnd() {
    acme.enqueueAll(Collections.nCopies(3, NewTask.of("mail", "{}")));
    try (Batch batch = acme.claim(2)) {
      assertThat(call("cancel", "acme", "--all", "--running", "--reason", "no").out())
          .isEqualTo("1 cancelled, 2 asked to end\n");
      assertThat(batch.tasks()).allMatch(Task::isCancelled);
    }
    assertThat(acme.history().scanStates())
        .containsEntry(TaskState.CANCELLED, 3L)
        .containsEntry(TaskState.PENDING, 0L);
  }

  @Test
  @Tag("exhaustive")
  void statisticsAreShown() throws Exception {
    database.execute(
        "insert into rota.statistic values (1, '2030-01-31 08:00+00', 3, 2, 1, 0, 12000, 4, 8000000,"
            + " 'mail'), (1, '2030-01-31 09:00+00', 1, 0, 0, 0, 5, 0, 0, 'sms')");
    assertThat(call("statistics", "acme").out())
        .containsPattern("HOUR +ENDED +DONE +FAILED +DEAD +CANCELLED +RAN +WAITED +KIND")
        .containsPattern("2030-01-31T08:00:00Z +6 +3 +2 +1 +0 +2.0ms +2.0s +mail\n")
        .containsPattern("2030-01-31T09:00:00Z +1 +1 +0 +0 +0 +0.0ms +- +sms\n");
    assertThat(call("statistics", "acme", "--kind", "mail", "--json").out())
        .isEqualTo(
            "[{\"hour\":\"2030-01-31T08:00:00Z\",\"kind\":\"mail\",\"count\":6,\"done\":3,"
                + "\"failed\":2,\"dead\":1,\"cancelled\":0,\"runSum\":12000,\"runMean\":2000,"
                + "\"firstAttempts\":4,\"waitSum\":8000000,\"waitMean\":2000000}]\n");
    String nine = "2030-01-31T09:00:00Z";
    assertThat(call("statistics", "acme", "--from", nine).out()).doesNotContain("mail");
    assertThat(call("statistics", "acme", "--to", nine).out()).doesNotContain("sms");
    assertThat(call("statistics", "acme", "--from", nine, "--to", "2029-01-01T00:00:00Z").err())
        .contains("--to is before --from");
    assertThat(call("statistics", "nobody").err()).contains("nobody");
  }

  @Test
  @Tag("exhaustive")
  void tasksAreCancelled() {
    List<Long> ids = acme.enqueueAll(Collections.nCopies(3, NewTask.of("mail", "{}")));
    acme.enqueue(NewTask.of("sms", "{}"));
    assertThat(call("cancel", "acme").err()).contains("or say --all");
    assertThat(call("cancel", "acme", "--from", "2100-01-01T00:00:00Z").out()).isEqualTo("0\n");
    assertThat(call("cancel", "acme", "--to", "2001-01-01T00:00:00Z").out()).isEqualTo("0\n");
    assertThat(call("cancel", "acme", "--id", ids.get(1).toString(), "--reason", "no").out())
        .isEqualTo("1\n");
    assertThat(acme.history().scanAttempts(ids.get(1)).get(0).error()).contains("no");
    assertThat(call("cancel", "acme", "--kind", "sms").out()).isEqualTo("1\n");
    assertThat(call("cancel", "acme", "--all").out()).isEqualTo("2\n");
    assertThat(acme.history().scanAttempts(ids.get(0)).get(0).error())
        .contains("cancelled by an operator");
  }

  @Test
  @Tag("exhaustive")
  void runningTasksAreListedAndReturned() throws Exception {
    long id = acme.enqueue(NewTask.of("mail", "{}"));
    Batch batch = acme.claim(1);
    assertThat(call("running", "acme").out()).contains("TASK", "mail", Long.toString(id));
    assertThat(call("running", "acme", "--json").out())
        .startsWith("[{\"task\":" + id + ",\"attempt\":1,\"kind\":\"mail\",\"claimedAt\":\"");
    assertThat(call("running", "acme", "--longer-than", "1h", "--json").out()).isEqualTo("[]\n");
    assertThat(call("running", "acme", "--return").err()).contains("--longer-than");
    assertThat(call("running", "acme", "--return", "--longer-than", "1h").out()).isEqualTo("0\n");
    database.execute("update rota.task_batch_1 set claimed_at = now() - interval '2 hours'");
    assertThat(call("running", "acme", "--return", "--longer-than", "1h").out()).isEqualTo("1\n");
    assertThat(batch.settle().lost()).isEqualTo(1);
  }

  @Test
  @Tag("exhaustive")
  void theWayOfATaskIsShown() {
    Pipeline docs = Pipeline.named("doc").stage("fetch").stage("parse").build();
    long id = acme.enqueue(docs.task("url"));
    Batch first = acme.claim(1);
    first.move(first.tasks().get(0), docs, StageResult.next("page"));
    first.settle();
    Batch second = acme.claim(1);
    second.dead(second.tasks().get(0), "no page\u001b[31m\nat all");
    second.settle();
    assertThat(call("task", "acme", Long.toString(id)).out())
        .containsPattern("KIND +ATTEMPT +STATE +ENQUEUED +CLAIMED +FINISHED +ERROR")
        .containsPattern("doc/fetch +1 +done +\\S+Z +\\S+Z +\\S+Z *\n")
        .containsPattern("doc/parse +1 +dead +\\S+Z +\\S+Z +\\S+Z +no page\\?\\[31m\n");
    assertThat(call("task", "acme", Long.toString(id), "--json").out())
        .startsWith("[{\"kind\":\"doc/fetch\",\"attempt\":1,\"state\":\"done\",\"enqueuedAt\":\"")
        .contains("\"payload\":\"url\"},{\"kind\":\"doc/parse\"")
        .contains("no page")
        .contains("\"payload\":\"page\"}]");
    assertThat(call("task", "acme", "-5", "--json").out()).isEqualTo("[]\n");
    assertThat(call("task", "acme", "first").err()).contains("ID");
    assertThat(call("task", "nobody", "1").err()).contains("nobody");
  }

  @Test
  void aTaskThatWaitsIsShownWithItsTime() {
    long id = acme.enqueue(NewTask.of("mail", "{}").after(Duration.ofDays(1)));
    assertThat(call("task", "acme", Long.toString(id)).out()).containsPattern("mail +1 +waiting");
    assertThat(call("task", "acme", Long.toString(id), "--json").out()).contains("\"runAt\":\"");
  }

  private List<Long> die(String kind, String error, int count) {
    List<Long> ids = acme.enqueueAll(Collections.nCopies(count, NewTask.of(kind, "{}")));
    try (Batch batch = acme.claim(count)) {
      batch.forEach(task -> batch.dead(task, error));
      batch.settle();
    }
    return ids;
  }

  private Invocation call(String... words) {
    String[] arguments = Arrays.copyOf(words, words.length + 2);
    arguments[words.length] = "--jdbc-url";
    arguments[words.length + 1] = database.jdbcUrl();
    return Invocation.of(arguments);
  }
}
