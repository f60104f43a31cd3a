package dev.rota.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Given;
import dev.rota.RotaTest;
import dev.rota.Tenant;
import dev.rota.testing.TestDatabase;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@RotaTest
class ScheduleCommandTest {

  @Given private TestDatabase database;
  @Given Tenant acme;
  @Given Tenant other;

  @Test
  @Tag("exhaustive")
  void schedulesAreAddedListedPausedResumedRunAndRemoved() {
    Invocation added =
        call(
            "schedule",
            "add",
            "acme",
            "nightly",
            "report",
            "{}",
            "--cron",
            "0 3 * * *",
            "--zone",
            "Asia/Tokyo",
            "--missed",
            "skip",
            "--overlapping",
            "skip",
            "--jitter",
            "30s");
    assertThat(added.err()).isEmpty();
    assertThat(added.out()).matches("nightly runs next at \\S+T18:00:\\d\\dZ\\.\\R");
    assertThat(call("schedule", "add", "other", "often", "k", "{}", "--every", "1h30m").code())
        .isZero();
    assertThat(call("schedule", "list").out())
        .contains("0 3 * * * Asia/Tokyo", "acme", "nightly", "every 1h30m", "other", "often");
    assertThat(call("schedule", "list", "acme").out()).contains("nightly").doesNotContain("often");

    assertThat(call("schedule", "pause", "acme", "nightly").out()).contains("nightly is paused");
    assertThat(call("schedule", "list", "acme").out()).contains("paused");
    assertThat(call("schedule", "run", "acme", "nightly").out()).matches("\\d+\\R");
    assertThat(call("status", "--tenant", "acme", "--json").out()).contains("\"pending\":1");
    assertThat(call("schedule", "resume", "acme", "nightly").out())
        .contains("nightly runs next at");
    assertThat(call("schedule", "list", "acme", "--json").out())
        .startsWith("[{\"tenant\":\"acme\",\"name\":\"nightly\",\"cron\":\"0 3 * * *\",")
        .contains(
            "\"zone\":\"Asia/Tokyo\",\"periodSeconds\":null,\"startingAt\":null,\"kind\":\"report\","
                + "\"missed\":\"skip\",\"overlapping\":\"skip\",\"jitterSeconds\":30.0,"
                + "\"paused\":false,\"nextRunAt\":\"")
        .contains("\"lastTask\":", "\"skipped\":0}");
    assertThat(call("schedule", "remove", "acme", "nightly").out()).contains("is removed");
    assertThat(call("schedule", "remove", "acme", "nightly").out()).contains("was not there");
    assertThat(call("schedule", "list", "acme", "--json").out()).isEqualTo("[]\n");
  }

  @Test
  void aStartIsTaken() {
    assertThat(
            call(
                    "schedule",
                    "add",
                    "acme",
                    "s",
                    "k",
                    "{}",
                    "--every",
                    "1d",
                    "--starting-at",
                    "2099-01-01T00:00:00Z")
                .out())
        .contains("2099-01-01T00:00:00Z");
  }

  @Test
  @Tag("exhaustive")
  void mistakesAreNamed() {
    assertThat(call("schedule").code()).isEqualTo(2);
    assertThat(call("schedule", "add", "acme", "s", "k", "{}").code()).isEqualTo(2);
    Invocation both =
        call("schedule", "add", "acme", "s", "k", "{}", "--every", "1d", "--cron", "0 3 * * *");
    assertThat(both.code()).isEqualTo(2);
    assertThat(both.err()).contains("--cron", "--every");
    Invocation policy =
        call("schedule", "add", "acme", "s", "k", "{}", "--every", "1d", "--missed", "never");
    assertThat(policy.code()).isEqualTo(2);
    assertThat(policy.err()).contains("--missed");
    Invocation cron = call("schedule", "add", "acme", "s", "k", "{}", "--cron", "nonsense");
    assertThat(cron.code()).isEqualTo(1);
    assertThat(cron.err()).contains("schedule 's' of tenant 'acme'", "cron is 'nonsense'");
    assertThat(call("schedule", "pause", "acme", "s").err()).contains("'s'", "'acme'");
    assertThat(call("schedule", "list", "nobody").err()).contains("nobody");
  }

  private Invocation call(String... args) {
    String[] all = Arrays.copyOf(args, args.length + 2);
    all[args.length] = "--jdbc-url";
    all[args.length + 1] = database.jdbcUrl();
    return Invocation.of(all);
  }
}
