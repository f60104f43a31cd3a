package dev.rota.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.rota.Batch;
import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.RotaFixture;
import dev.rota.RotaTest;
import dev.rota.Tenant;
import dev.rota.testing.TestDatabase;
import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@RotaTest
class StatusCommandTest {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  @Given private TestDatabase database;
  @Given private Rota rota;

  @Test
  void countsWhatIsPendingWaitingAndRunning() throws IOException {
    Tenant acme = rota.tenants().register("acme");
    rota.tenants().register("idle");
    acme.enqueueAll(Collections.nCopies(10, NewTask.of("mail", "{}")));
    try (Batch failing = acme.claim(2)) {
      failing.tasks().forEach(task -> failing.fail(task, "no", Duration.ofHours(1)));
      failing.settle();
    }
    try (Batch running = acme.claim(3)) {
      assertThat(running.tasks()).hasSize(3);
      JsonNode status = JSON.readTree(call("--json", "--parked").out());
      JsonNode first = status.get("tenants").get(0);
      assertThat(first.get("name").asText()).isEqualTo("acme");
      assertThat(first.get("pending").asInt()).isEqualTo(5);
      assertThat(first.get("waiting").asInt()).isEqualTo(2);
      assertThat(first.get("running").asInt()).isEqualTo(3);
      assertThat(first.get("exact").asBoolean()).isTrue();
      assertThat(first.get("oldestPendingSeconds").asDouble()).isBetween(0.0, 300.0);
      assertThat(first.get("lastRotation").isNull()).isTrue();
      JsonNode idle = status.get("tenants").get(1);
      assertThat(idle.get("pending").asInt()).isZero();
      assertThat(idle.get("parked").asBoolean()).isTrue();
      assertThat(first.get("parked").asBoolean()).isFalse();
      assertThat(status.get("tenantsRegistered").asInt()).isEqualTo(2);
      assertThat(status.get("tenantsParked").asInt()).isOne();
      assertThat(status.get("pending").asInt()).isEqualTo(5);
    }
  }

  @Test
  void printsATableAndTotals() {
    rota.tenants().register("acme").enqueue(NewTask.of("mail", "{}"));
    rota.tenants().register("evil\u001b[2J\nname");
    rota.tenants().close("acme");
    String out = call("--parked").out();
    assertThat(out.lines()).hasSize(4);
    assertThat(out).contains("TENANT", "acme (closed)", "evil?[2J?name (parked)");
    assertThat(out).contains("2 tenants, 1 of them parked; 1 pending, 0 waiting, 0 running");
    assertThat(out).doesNotContain("\u001b");
  }

  @Test
  @Tag("exhaustive")
  void leavesParkedTenantsOutUnlessAskedForThem() throws IOException {
    rota.tenants().register("acme").enqueue(NewTask.of("mail", "{}"));
    rota.tenants().register("idle");
    assertThat(call().out()).contains("acme", "2 tenants, 1 of them parked").doesNotContain("idle");
    assertThat(JSON.readTree(call("--json").out()).get("tenants")).hasSize(1);
    assertThat(call("--tenant", "idle").out()).contains("idle (parked)", "1 tenants, 1 of them");
  }

  @Test
  void narrowsToOneTenant() throws IOException {
    rota.tenants().register("acme").enqueue(NewTask.of("mail", "{}"));
    rota.tenants().register("other").enqueue(NewTask.of("mail", "{}"));
    JsonNode status = JSON.readTree(call("--tenant", "other", "--json").out());
    assertThat(status.get("tenants")).hasSize(1);
    assertThat(status.get("pending").asInt()).isEqualTo(1);
  }

  @Test
  void tellsWhatHindersTheArchiveAlsoOfTenantsThatAreGone() throws Exception {
    rota.tenants().register("acme");
    database.execute(
        """
        insert into rota.archive (tenant, seq, opened_at, sealed_at, key, trouble)
        values (1, 4, now(), now(), 'k', 'no space'), (7, 2, now(), now(), 'l', 'no answer');
        insert into rota.erasure (tenant, name, finished_at, trouble) values (8, 'gone', now(), 'away')""");
    assertThat(call().out())
        .contains(
            "archive: segment 4 of tenant 'acme': no space",
            "archive: segment 2 of tenant 7, which is gone: no answer",
            "archive: late objects of erased tenant 'gone' (8): away");
    assertThat(call("--tenant", "acme").out()).contains("no space").doesNotContain("away", "gone");
  }

  @Test
  @Tag("exhaustive")
  void tellsWhatWasSetAsideAndWhy() throws Exception {
    Tenant acme = RotaFixture.tenant(rota, "acme");
    rota.tenants().register("other");
    database.execute(
        """
        insert into rota_1.task_init_1_0 (id, created_at, attempt, kind, payload)
        values (41, 'infinity', 0, 'k', 'p'), (42, null, 0, 'k', 'p'), (43, now(), 0, 'k', 'p')""");
    assertThat(call().out()).doesNotContain("set aside");
    try (Batch batch = acme.claim(10)) {
      batch.settle();
    }
    String told =
        "2 rows of tenant 'acme' were set aside, never run: its created_at is null, or not in the"
            + " years 1 to 9999 (last task 42 at ";
    assertThat(call().out()).contains(told);
    assertThat(call("--tenant", "other").out()).doesNotContain("set aside");
    assertThat(call("--json").out()).contains("\"setAside\":[{\"tenant\":\"acme\",\"rows\":2");
  }

  private Invocation call(String... options) {
    String[] args = new String[options.length + 3];
    args[0] = "status";
    args[1] = "--jdbc-url";
    args[2] = database.jdbcUrl();
    System.arraycopy(options, 0, args, 3, options.length);
    Invocation call = Invocation.of(args);
    assertThat(call.code()).as(call.err()).isZero();
    return call;
  }
}
