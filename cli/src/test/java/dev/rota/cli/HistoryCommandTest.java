package dev.rota.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Batch;
import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.RotaTest;
import dev.rota.TaskState;
import dev.rota.Tenant;
import dev.rota.history.HistoryFilter;
import dev.rota.testing.TestDatabase;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the commands by which an operator reads and replays history. */
@RotaTest
class HistoryCommandTest {

  @Given private TestDatabase database;
  @Given private Tenant acme;
  private List<Long> ids;

  @TempDir private Path folder;

  @BeforeEach
  void create() {
    ids =
        acme.enqueueAll(
            List.of(
                NewTask.of("mail", "{\"to\": \"a, b\"}"),
                NewTask.of("mail", "two\nlines"),
                NewTask.of("sms", "3").withKey("k")));
    try (Batch batch = acme.claim(10)) {
      batch.dead(batch.tasks().get(1), "too \u001b[31mslow\nby far");
      batch.settle();
    }
  }

  @Test
  void aTableIsForPeople() {
    String out = call("history", "acme").out();
    assertThat(out)
        .containsPattern("ID +ATTEMPT +STATE +KIND +ENQUEUED +CLAIMED +FINISHED +ERROR\n")
        .containsPattern(ids.get(1) + " +1 +dead +mail .* too \\?\\[31mslow\n")
        .doesNotContain("\u001b")
        .doesNotContain("by far");
    assertThat(out.lines()).hasSize(4);
    assertThat(out.lines().skip(1).findFirst().orElseThrow()).startsWith(ids.get(2) + " ");
  }

  @Test
  void jsonAndCsvHoldEverything() {
    assertThat(call("history", "acme", "--format", "json", "--kind", "sms").out())
        .startsWith("{\"id\":" + ids.get(2) + ",\"attempt\":1,\"state\":\"done\",\"kind\":\"sms\"")
        .contains("\"key\":\"k\"", "\"claimedAt\":\"", "\"payload\":\"3\"}\n")
        .doesNotContain("mail");
    assertThat(call("history", "acme", "--format", "csv", "--state", "dead,failed").out())
        .startsWith("id,attempt,state,kind,key,priority,enqueued_at,claimed_at,finished_at,error,")
        .contains(ids.get(1) + ",1,dead,mail,,0,", "\"two\nlines\"")
        .doesNotContain("a, b");
  }

  @Test
  void pagesGoOn() {
    Invocation first = call("history", "acme", "--limit", "2", "--format", "json");
    assertThat(first.out().lines()).hasSize(2);
    Matcher cursor = Pattern.compile("There is more: --after (\\S+)").matcher(first.err());
    assertThat(cursor.find()).isTrue();
    Invocation rest =
        call("history", "acme", "--limit", "2", "--format", "json", "--after", cursor.group(1));
    assertThat(rest.out().lines()).hasSize(1);
    assertThat(rest.out()).contains("\"id\":" + ids.get(0));
    assertThat(rest.err()).doesNotContain("--after");
    assertThat(call("history", "acme", "--after", "nonsense").err()).contains("cursor 'nonsense'");
    assertThat(call("history", "acme", "--limit", "0").err()).contains("--limit is 0");
  }

  @Test
  void attemptsAreCounted() {
    assertThat(call("history", "acme", "--count-by", "kind,state").out())
        .matches("(?s)KIND +STATE +ATTEMPTS\nmail +done +1\nmail +dead +1\nsms +done +1\n");
    assertThat(call("history", "acme", "--count-by", "state", "--format", "json").out())
        .isEqualTo("{\"state\":\"done\",\"attempts\":2}\n{\"state\":\"dead\",\"attempts\":1}\n");
    assertThat(call("history", "acme", "--count-by", "hour", "--format", "csv").out())
        .matches("hour,attempts\n\\S+:00:00Z,3\n");
    assertThat(call("history", "acme", "--count-by", "kind", "--after", "x").err())
        .contains("counts have no pages");
  }

  @Test
  @Tag("exhaustive")
  void tasksAreReplayed() {
    assertThat(call("replay", "acme").err()).contains("or say --all");
    assertThat(call("replay", "acme", "--kind", "mail", "--dry-run").out()).isEqualTo("2\n");
    assertThat(acme.history().scanStates()).containsEntry(TaskState.PENDING, 0L);
    String id = Long.toString(ids.get(0));
    assertThat(call("replay", "acme", "--id", id, "--once", "a").out()).isEqualTo("1\n");
    assertThat(call("replay", "acme", "--id", id, "--once", "a").out()).isEqualTo("1\n");
    assertThat(acme.history().scanStates()).containsEntry(TaskState.PENDING, 1L);
    acme.claim(10).settle();
    assertThat(call("replay", "acme", "--state", "dead").out()).isEqualTo("1\n");
    assertThat(call("replay", "acme", "--state", "lost").err()).contains("can be replayed");
    assertThat(call("replay", "acme", "--all", "--once", "a b").err()).contains("malformed");
    assertThat(acme.history().page(HistoryFilter.all().kind("mail")).attempts()).hasSize(3);
  }

  @Test
  void anArchiveThatIsNotThereIsOnlyMissedWhenItIsWanted() {
    String away = folder.resolve("away").toString();
    assertThat(call("history", "acme", "--archive", away).out().lines()).hasSize(4);
  }

  private Invocation call(String... args) {
    String[] all = Arrays.copyOf(args, args.length + 2);
    all[args.length] = "--jdbc-url";
    all[args.length + 1] = database.jdbcUrl();
    return Invocation.of(all);
  }
}
