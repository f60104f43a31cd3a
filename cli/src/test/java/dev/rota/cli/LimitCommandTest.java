package dev.rota.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Batch;
import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.RotaTest;
import dev.rota.Tenant;
import dev.rota.testing.TestDatabase;
import java.sql.SQLException;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@RotaTest
class LimitCommandTest {

  @Given private TestDatabase database;
  @Given private Tenant acme;

  @Test
  @Tag("exhaustive")
  void limitsAreSetShownAndRemoved() {
    assertThat(call("limit", "set", "plan:pro", "--weight", "8").out())
        .isEqualTo("plan:pro: weight 8\n");
    assertThat(call("limit", "set", "plan:pro", "--tier", "1").out())
        .isEqualTo("plan:pro: weight 8, tier 1\n");
    assertThat(call("limit", "set", "tenant:acme", "--weight", "2.5").out())
        .isEqualTo("tenant:acme: weight 2.5\n");
    assertThat(call("limit", "set", "tenant:acme", "--max-pending", "1e5").out())
        .isEqualTo("tenant:acme: weight 2.5, max-pending 100000\n");
    assertThat(call("limit", "show").out()).contains("MAX PENDING", "100000");
    assertThat(call("limit", "show").out()).contains("WEIGHT", "plan:pro", "tenant:acme", "2.5");
    assertThat(call("limit", "show", "plan:pro", "--json").out())
        .isEqualTo(
            "[{\"scope\":\"plan:pro\",\"weight\":8.0,\"tier\":1,\"concurrency\":null,"
                + "\"rate\":null,\"burst\":null,"
                + "\"maxPending\":null,\"maxPayload\":null,\"pool\":null,\"breaker\":null,\"paused\":false,"
                + "\"pausedSince\":null,\"pausedUntil\":null,\"pausedBy\":null,\"reason\":null}]\n");
    assertThat(call("limit", "unset", "plan:pro").out()).isEqualTo("plan:pro: no limits\n");
    assertThat(call("limit", "unset", "tenant:acme").code()).isZero();
    assertThat(call("limit", "show", "--json").out()).isEqualTo("[]\n");
  }

  @Test
  @Tag("exhaustive")
  void aCapIsSetShownAndRemoved() {
    assertThat(call("limit", "set", "kind:stripe.charge", "--concurrency", "50").out())
        .isEqualTo("kind:stripe.charge: concurrency 50\n");
    assertThat(call("limit", "set", "tenant:acme", "--concurrency", "5", "--weight", "2").out())
        .isEqualTo("tenant:acme: weight 2, concurrency 5\n");
    assertThat(call("limit", "show").out()).contains("CAP", "50", "kind:stripe.charge");
    assertThat(call("limit", "show", "all", "--json").out()).isEqualTo("[]\n");
    assertThat(call("limit", "show", "kind:stripe.charge", "--json").out())
        .contains("\"concurrency\":50");
    assertThat(call("limit", "unset", "kind:stripe.charge").out())
        .isEqualTo("kind:stripe.charge: no limits\n");
    Invocation none = call("limit", "set", "all", "--concurrency", "0");
    assertThat(none.code()).isEqualTo(2);
    assertThat(none.err()).contains("concurrency is 0; it must be 1 or more");
    assertThat(call("limit", "set", "all", "--concurrency", "many").err())
        .contains("--concurrency", "many");
    assertThat(call("limit", "set", "tenant:acme/priority:5", "--concurrency", "5").err())
        .contains("takes no concurrency; give it to its tenant, or to a kind of it");
  }

  @Test
  @Tag("exhaustive")
  void aRateIsSetShownAndRemoved() {
    assertThat(call("limit", "set", "kind:mail", "--rate", "100/s", "--burst", "20").out())
        .isEqualTo("kind:mail: rate 100/s burst 20\n");
    assertThat(call("limit", "set", "kind:mail", "--burst", "30").out())
        .isEqualTo("kind:mail: rate 100/s burst 30\n");
    assertThat(call("limit", "set", "tenant:acme", "--rate", "10/m").out())
        .isEqualTo("tenant:acme: rate 10/m burst 1\n");
    assertThat(call("limit", "set", "plan:pro", "--rate", "20000/10s").out())
        .isEqualTo("plan:pro: rate 20000/10s burst 200\n");
    assertThat(call("limit", "show").out()).contains("RATE", "BURST", "100/s", "10/m", "20000/10s");
    assertThat(call("limit", "show", "kind:mail", "--json").out())
        .contains("\"rate\":\"100/s\",\"burst\":30");
    assertThat(call("limit", "unset", "kind:mail").out()).isEqualTo("kind:mail: no limits\n");
    Invocation form = call("limit", "set", "all", "--rate", "many");
    assertThat(form.code()).isEqualTo(2);
    assertThat(form.err())
        .contains("rate is 'many'; it must be such as 100/s, 10/m or 1/2h, with ms, s, m, h or d");
    Invocation range = call("limit", "set", "all", "--rate", "2000000/s");
    assertThat(range.code()).isEqualTo(2);
    assertThat(range.err()).contains("it must be 1/d to 1000000/s");
    assertThat(call("limit", "set", "all", "--rate", "1/2d").code()).isEqualTo(2);
    assertThat(call("limit", "set", "all", "--rate", "999999999/999999999d").code()).isEqualTo(2);
    Invocation burst = call("limit", "set", "all", "--burst", "5");
    assertThat(burst.code()).isEqualTo(2);
    assertThat(burst.err()).contains("there is no rate; set a rate first");
    assertThat(call("limit", "set", "tenant:acme/priority:5", "--rate", "5/s").err())
        .contains("takes no rate; give it to its tenant, or to a kind of it");
  }

  @Test
  @Tag("exhaustive")
  void aPoolIsSetShownAndRemoved() {
    assertThat(call("limit", "set", "plan:pro", "--pool", "eu", "--tier", "1").out())
        .isEqualTo("plan:pro: tier 1, pool eu\n");
    assertThat(call("limit", "show").out()).contains("POOL", "eu");
    assertThat(call("limit", "show", "plan:pro", "--json").out()).contains("\"pool\":\"eu\"");
    assertThat(call("check").out()).doesNotContain("pool eu");
    assertThat(call("limit", "plan", "acme", "pro").code()).isZero();
    assertThat(call("check").out()).contains("no worker with a heartbeat serves pool eu");
    assertThat(call("limit", "unset", "plan:pro").out()).isEqualTo("plan:pro: no limits\n");
    assertThat(call("limit", "set", "tenant:acme", "--pool", "a b").err())
        .contains("pool is 'a b'; it must be 1 to 64 characters");
    assertThat(call("limit", "set", "kind:mail", "--pool", "eu").err())
        .contains("scope kind:mail takes no pool; give it to plan:P or tenant:T");
  }

  @Test
  @Tag("exhaustive")
  void aBreakerIsSetShownReopenedAndRemoved() throws SQLException {
    String text = "0.25 of 20 within 1m pause 30s probes 3";
    assertThat(call("limit", "set", "kind:k", "--breaker", "0.25").out())
        .isEqualTo("kind:k: breaker " + text + "\n");
    assertThat(call("limit", "show", "--json").out()).contains("\"breaker\":\"" + text + "\"");
    database.execute(
        "insert into rota.kind_pause (kind, origin, paused_at, paused_until, reason)"
            + " values ('k', 'breaker', now(), now() + interval '1 hour', 'it is down')");
    assertThat(call("limit", "show", "kind:k").out()).contains("BY", "breaker", "it is down", text);
    assertThat(call("limit", "show", "--json").out()).contains("\"pausedBy\":\"breaker\"");
    assertThat(call("pause", "kind:k").code()).isZero();
    assertThat(call("resume", "kind:k").out()).isEqualTo("kind:k is resumed.\n");
    assertThat(call("resume", "kind:k").out()).isEqualTo("kind:k was not paused.\n");
    assertThat(call("resume", "kind:k", "--reopen").out()).isEqualTo("kind:k is resumed.\n");
    assertThat(call("resume", "all", "--reopen").err()).contains("give kind:K or tenant:T/kind:K");
    assertThat(call("limit", "set", "kind:k", "--breaker", "half").err())
        .contains("a breaker is written as RATE [of N]");
    assertThat(call("limit", "set", "tenant:acme", "--breaker", "0.5").err())
        .contains("takes no breaker; give it to kind:K");
    assertThat(call("limit", "unset", "kind:k").out()).isEqualTo("kind:k: no limits\n");
    assertThat(call("limit", "show", "--json").out()).isEqualTo("[]\n");
  }

  @Test
  @Tag("exhaustive")
  void plansAreShownAndChanged() {
    assertThat(call("limit", "plan", "acme").out()).isEqualTo("acme: plan default\n");
    assertThat(call("limit", "plan", "acme", "pro").out()).isEqualTo("acme: plan pro\n");
    assertThat(call("limit", "plan", "acme").out()).isEqualTo("acme: plan pro\n");
    assertThat(call("limit", "plan", "nobody").err()).contains("no tenant is named 'nobody'");
  }

  @Test
  void scopesArePausedAndResumed() {
    assertThat(call("pause", "tenant:acme", "--reason", "ticket 4711", "--for", "1h").out())
        .isEqualTo("tenant:acme is paused.\n");
    assertThat(call("limit", "show").out()).contains("tenant:acme", "ticket 4711");
    assertThat(call("resume", "tenant:acme").out()).isEqualTo("tenant:acme is resumed.\n");
    assertThat(call("resume", "tenant:acme").out()).isEqualTo("tenant:acme was not paused.\n");
  }

  @Test
  @Tag("exhaustive")
  void aQuotaOfPayloadsIsSetShownAndRemoved() {
    assertThat(call("limit", "set", "tenant:acme", "--max-payload", "1GB/day").out())
        .isEqualTo("tenant:acme: max-payload 1GB/day\n");
    assertThat(call("limit", "show").out()).contains("MAX PAYLOAD", "1GB/day");
    assertThat(call("limit", "show", "--json").out()).contains("\"maxPayload\":\"1GB/day\"");
    assertThat(call("limit", "set", "plan:pro", "--max-payload", "1000/month").out())
        .isEqualTo("plan:pro: max-payload 1000/month\n");
    assertThat(call("limit", "unset", "tenant:acme").out()).isEqualTo("tenant:acme: no limits\n");
    Invocation form = call("limit", "set", "plan:pro", "--max-payload", "1GB");
    assertThat(form.code()).isEqualTo(2);
    assertThat(form.err())
        .contains("maxPayload is '1GB'; it must be such as 1GB/day, 500MB/hour or 8192/month");
    assertThat(call("limit", "set", "kind:mail", "--max-payload", "1GB/day").err())
        .contains("scope kind:mail takes no weight, tier or quota");
  }

  @Test
  @Tag("exhaustive")
  void waitingTellsWhetherTasksStillRun() {
    acme.enqueue(NewTask.of("k", "{}"));
    try (Batch batch = acme.claim(1)) {
      Invocation busy = call("pause", "tenant:acme", "--wait", "400ms");
      assertThat(busy.code()).isEqualTo(1);
      assertThat(busy.out()).isEqualTo("tenant:acme is paused; its tasks still run after 400ms.\n");
      assertThat(call("pause", "kind:other", "--wait", "1m").code()).isZero();
      assertThat(call("pause", "tenant:acme/kind:k", "--wait", "400ms").code()).isEqualTo(1);
      batch.settle();
    }
    Invocation quiet = call("pause", "all", "--wait", "1m");
    assertThat(quiet.code()).isZero();
    assertThat(quiet.out()).isEqualTo("all is paused, and none of its tasks runs.\n");
  }

  @Test
  @Tag("exhaustive")
  void wrongUseIsExplained() {
    Invocation scope = call("pause", "acme");
    assertThat(scope.code()).isEqualTo(2);
    assertThat(scope.err()).contains("scope is 'acme'; it must be all, kind:K, plan:P");
    Invocation weight = call("limit", "set", "plan:pro", "--weight", "0");
    assertThat(weight.code()).isEqualTo(2);
    assertThat(weight.err()).contains("weight is 0.0; it must be 0.001 to 1000");
    Invocation kind = call("limit", "set", "kind:mail", "--weight", "2");
    assertThat(kind.code()).isEqualTo(2);
    assertThat(kind.err()).contains("scope kind:mail takes no weight, tier or quota");
    assertThat(call("pause", "tenant:nobody").err()).contains("no tenant is named 'nobody'");
    assertThat(call("pause", "all", "--for", "0s").code()).isEqualTo(2);
    assertThat(call("limit", "set", "plan:pro", "--tier", "11").err())
        .contains("tier is 11; it must be -10 to 10");
    assertThat(call("limit", "set", "plan:pro").err())
        .contains(
            "give --concurrency, --rate, --burst, --weight, --tier, --max-pending, --max-payload,"
                + " --pool or --breaker");
    assertThat(call("limit", "set", "plan:pro", "--max-pending", "0").err())
        .contains("maxPending is 0; it must be 1 or more");
    assertThat(call("limit", "set", "plan:pro", "--max-pending", "1.5").err())
        .contains("'1.5' is no whole number, such as 100000 or 1e5");
    assertThat(call("limit").code()).isEqualTo(2);
  }

  private Invocation call(String... args) {
    String[] all = Arrays.copyOf(args, args.length + 2);
    all[args.length] = "--jdbc-url";
    all[args.length + 1] = database.jdbcUrl();
    return Invocation.of(all);
  }
}
