package dev.rota.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.rota.Batch;
import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.RotaFixture;
import dev.rota.RotaTest;
import dev.rota.Task;
import dev.rota.Tenant;
import dev.rota.schedule.Schedule;
import dev.rota.testing.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests the output of commands for texts by which producers try to forge lines, or to steer a
 * terminal.
 */
@RotaTest
@Tag("exhaustive")
class HostileOutputTest {

  /** Colours, a title, a C1 control, tabs, three sorts of new lines, and directions. */
  private static final String HOSTILE =
      "a\u001b[31m\u001b]0;t\u0007\u009b2J\tb\rc\nrota: forged\u0085\u2028\u2029\u202ed\u2066\u200b";

  private static final JsonMapper JSON = JsonMapper.builder().build();

  @Given private TestDatabase database;
  @Given private Rota rota;
  private Tenant tenant;
  private long dead;

  @BeforeEach
  void fill() throws SQLException {
    tenant = RotaFixture.tenant(rota, HOSTILE);
    enqueueByHand(2);
    try (Batch batch = tenant.claim(2)) {
      giveHostileKinds();
      Task task = batch.tasks().get(0);
      dead = task.id();
      batch.dead(task, HOSTILE);
      batch.settle();
    }
    tenant.enqueue(NewTask.of("k", HOSTILE).withKey(HOSTILE).after(Duration.ofHours(1)));
    tenant.schedules().add(Schedule.every(HOSTILE, Duration.ofDays(1), NewTask.of("k", HOSTILE)));
    database.execute("update rota.tenant set postponed = 1, postponed_reason = '" + HOSTILE + "'");
  }

  /** A role that may insert into its ring does not ask the API. */
  private void enqueueByHand(int count) throws SQLException {
    database.execute(
        ("insert into rota_1.task_init_1_0 (id, created_at, attempt, kind, payload)"
                + " select nextval('rota.task_id'), now(), 0, 'k', '%1$s'"
                + " from generate_series(1, %2$d)")
            .formatted(HOSTILE, count));
  }

  /** A claim sets such kinds aside; workers of earlier versions have let them into history. */
  private void giveHostileKinds() throws SQLException {
    database.execute("update rota_1.task_hist_1_1 set kind = '" + HOSTILE + "'");
  }

  @ParameterizedTest
  @CsvSource({
    "task @ DEAD, 2",
    "history @, 3",
    "errors @, 2",
    "tenant list, 2",
    "schedule list @, 2",
    "schedule pause @ @, 1",
    "schedule resume @ @, 1",
    "schedule remove @ @, 1",
    "tenant lane @ --priority 5, 1",
    "tenant add @, 1",
    "tenant close @, 1",
    "tenant rename @ @2, 1",
  })
  void linesAreThoseOfTheCommand(String words, int lines) {
    Invocation done = call(words);
    assertThat(done.code()).as(done.err()).isZero();
    isPlain(done);
    assertThat(done.out().lines()).as(done.out()).hasSize(lines);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "status",
        "status --tenant @",
        "history @ --count-by kind,state",
        "statistics @",
        "usage --tenant @",
        "check",
        "archive detach @ --folder target/none",
        "tenant export @ --folder target/none/export",
        "tenant policy @",
        "graph show @",
        "tenant add @.",
        "tenant erase @ --confirm @ --close",
        "running no@",
        "cancel @ --kind @",
        "replay @ --kind @ --once @",
        "enqueue @ @ {}",
        "enqueue @ k {} --key @",
        "enqueue no@ k {}",
        "schedule run @ @",
        "schedule run @ no@",
        "status --schema @",
        "@",
      })
  void nothingThatIsShownMovesTheCursor(String words) {
    isPlain(call(words));
  }

  @Test
  void whatRunsIsShownOnOneLine() throws SQLException {
    enqueueByHand(1);
    try (Batch running = tenant.claim(1)) {
      assertThat(running.tasks()).hasSize(1);
      giveHostileKinds();
      Invocation shown = call("running @");
      isPlain(shown);
      assertThat(shown.out().lines()).hasSize(2);
      isPlain(call("status"));
    }
  }

  /** The texts themselves are in it: JSON has escapes for what a screen would obey. */
  @ParameterizedTest
  @ValueSource(strings = {"task @ DEAD --json", "history @ --format json", "errors @ --json"})
  void jsonKeepsTheTexts(String words) throws Exception {
    Invocation done = call(words);
    assertThat(done.code()).as(done.err()).isZero();
    isPlain(done);
    List<String> errors = new ArrayList<>();
    for (String line : done.out().lines().toList()) {
      errors.addAll(JSON.readTree(line).findValuesAsText("error"));
    }
    assertThat(errors).contains(HOSTILE);
  }

  private static void isPlain(Invocation done) {
    String shown = done.all().replace("\n", "").replaceAll("(?m)^\\d+\\t", "");
    assertThat(shown.codePoints().filter(HostileOutputTest::isObeyed)).as(shown).isEmpty();
    assertThat(done.all().lines()).noneMatch(line -> line.startsWith("rota: forged"));
  }

  private static boolean isObeyed(int codePoint) {
    return switch (Character.getType(codePoint)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          true;
      default -> false;
    };
  }

  private Invocation call(String words) {
    List<String> args = new ArrayList<>();
    Arrays.stream(words.split(" "))
        .map(word -> word.replace("@", HOSTILE).replace("DEAD", Long.toString(dead)))
        .forEach(args::add);
    args.addAll(List.of("--jdbc-url", database.jdbcUrl()));
    return Invocation.of(args.toArray(String[]::new));
  }
}
