package dev.rota.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.RotaTest;
import dev.rota.Tenant;
import dev.rota.testing.Await;
import dev.rota.testing.TestDatabase;
import java.io.IOException;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Collections;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@RotaTest
class InsightCommandTest {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  @Given private TestDatabase database;
  @Given private Tenant acme;
  @Given private Tenant other;

  private void prepare() throws SQLException {
    acme.enqueueAll(Collections.nCopies(3, NewTask.of("mail", "{}")));
    other.enqueue(NewTask.of("mail", "{}"));
    database.execute(
        """
        insert into rota.rule (tenant, paused_at, paused_until, paused_reason)
        values (1, '2030-01-01T00:00:00Z', 'infinity', 'ticket 4711');
        insert into rota.rule (tenant, kind, concurrency) values (1, 'mail', 2);
        insert into rota.worker (id, host, lease, started_at, heartbeat_at, rules)
        values (17, 'a', '1 h', now(), now(), 1);
        insert into rota.budget (owner, kind) values (1, 'mail');
        insert into rota.share values (1, 'mail', 17, 2, true)""");
  }

  @Test
  @Tag("exhaustive")
  void whyTellsOneReasonALine() throws SQLException {
    prepare();
    Invocation all = call("why", "acme");
    assertThat(all.code()).isZero();
    assertThat(all.out().lines().skip(1))
        .containsExactly(
            "* paused: paused by the rule of tenant:acme since 2030-01-01T00:00:00Z: ticket 4711",
            "  capped: the cap of tenant:acme/kind:mail is used up: 2 of 2 held by a worker 17 (2)");
    assertThat(all.out())
        .startsWith("acme: 3 pending, oldest ")
        .contains("s, 0 waiting, 0 claimed\n");
    assertThat(call("why", "acme", "--kind", "mail").out())
        .startsWith("acme of kind mail: 3 pending")
        .contains("* capped");
    assertThat(call("why", "other").out())
        .endsWith("0 waiting, 0 claimed\n  nothing is known that holds them back\n");
  }

  @Test
  @Tag("exhaustive")
  void overviewShowsTenantsKindsAndErrors() throws IOException, SQLException {
    prepare();
    database.execute(
        """
        insert into rota.kind_statistic
        values (date_bin('1 hour', now(), 'epoch'), 90, 8, 2, 0, 1, 90, 1, '{1,95,4}', '{}', 'mail');
        update rota.worker set left_kinds = '{mial}' where id = 17;
        insert into rota.error_statistic
        values (date_bin('1 hour', now(), 'epoch'), 7, 8, 2, now(), 42, 1, 'mail', 'a.B: no row #')""");
    Await.until("counted", () -> overviewAsJson().get("estimatedPending").asLong(), 4);
    JsonNode found = overviewAsJson();
    assertThat(found.get("tenants").asInt()).isEqualTo(2);
    assertThat(found.get("workers").asInt()).isOne();
    assertThat(found.get("daemonLeads").asBoolean()).isFalse();
    assertThat(found.get("byTenant").get(0).get("tenant").asText()).isEqualTo("acme");
    assertThat(found.get("byTenant").get(0).get("estimatedPending").asInt()).isEqualTo(3);
    assertThat(found.get("byKind").get(0).get("runP95Millis").asInt()).isEqualTo(2);
    assertThat(found.get("byKind").get(0).get("waitP95Millis").isNull()).isTrue();
    assertThat(found.get("unhandledKinds").get(0).get("kind").asText()).isEqualTo("mial");
    assertThat(found.get("unhandledKinds").get(0).get("silent").asInt()).isOne();
    assertThat(found.get("byError").get(0).get("lastTenant").asText()).isEqualTo("acme");
    assertThat(found.get("byError").get(0).get("lastTask").asInt()).isEqualTo(42);
    assertThat(call("overview").out().lines())
        .anyMatch(line -> line.startsWith("acme") && line.contains("~3"))
        .anyMatch(line -> line.startsWith("2 tenants, 0 of them parked; ~4 pending, ~0 waiting"))
        .contains(
            "tasks of kind mial stay pending: no living worker has told of a handler;"
                + " processes that do not tell: 1")
        .anyMatch(line -> line.startsWith("mail") && line.contains("<2ms"))
        .anyMatch(line -> line.startsWith("10 ") && line.endsWith("a.B: no row #"));
  }

  private JsonNode overviewAsJson() throws IOException {
    return JSON.readTree(call("overview", "--json").out());
  }

  @Test
  void overviewRefusesOptionsOutOfRange() {
    assertThat(call("overview", "--hours", "0").err()).contains("--hours is 0; use 1 to 744");
    assertThat(call("overview", "--limit", "0").err())
        .contains("the limit is 0; use one from 1 to");
  }

  @Test
  void whyPrintsJson() throws IOException, SQLException {
    prepare();
    JsonNode why = JSON.readTree(call("why", "acme", "--kind", "mail", "--json").out());
    assertThat(why.fieldNames())
        .toIterable()
        .containsExactly(
            "tenant",
            "kind",
            "pending",
            "waiting",
            "running",
            "oldestPendingSeconds",
            "exact",
            "holdsAll",
            "reasons");
    assertThat(why.get("kind").asText()).isEqualTo("mail");
    assertThat(why.get("pending").asInt()).isEqualTo(3);
    assertThat(why.get("holdsAll").asBoolean()).isTrue();
    JsonNode capped = why.get("reasons").get(1);
    assertThat(capped.get("code").asText()).isEqualTo("capped");
    assertThat(capped.get("data").toString())
        .isEqualTo(
            "{\"scope\":\"tenant:acme/kind:mail\",\"cap\":2,\"held\":2,\"holders\":[{\"worker\":17,"
                + "\"host\":\"a\",\"held\":2,\"alive\":true}]}");
  }

  @Test
  void whyOfNoTenantFails() {
    Invocation ghost = call("why", "ghost");
    assertThat(ghost.code()).isEqualTo(1);
    assertThat(ghost.out())
        .endsWith(
            "* unknown_tenant: no tenant is named 'ghost'; rota tenant list shows the names\n");
    Invocation kind = call("why", "acme", "--kind", "not a kind");
    assertThat(kind.code()).isEqualTo(2);
    assertThat(kind.err()).contains("kind is 'not a kind'", "rota why --help");
  }

  @Test
  void topShowsSharesAndWhatHoldsTenantsBack() throws IOException, SQLException {
    prepare();
    String out = call("top", "--seconds", "0.1").out();
    assertThat(out.lines()).hasSize(4);
    assertThat(out).contains("TENANT", "HELD BACK BY", "paused, capped", "1 workers alive; 0 more");
    JsonNode top = JSON.readTree(call("top", "--seconds", "0.1", "--tenants", "1", "--json").out());
    assertThat(top.fieldNames())
        .toIterable()
        .containsExactly("at", "windowSeconds", "workers", "handlersBusy", "tenants", "leftOut");
    assertThat(top.get("leftOut").asInt()).isOne();
    JsonNode first = top.get("tenants").get(0);
    assertThat(first.fieldNames())
        .toIterable()
        .containsExactly(
            "tenant",
            "running",
            "handlers",
            "share",
            "due",
            "weight",
            "tier",
            "pending",
            "oldestPendingSeconds",
            "heldBackBy");
    assertThat(first.get("tenant").asText()).isEqualTo("acme");
    assertThat(first.get("pending").asInt()).isEqualTo(3);
    assertThat(first.get("heldBackBy").toString()).isEqualTo("[\"paused\",\"capped\"]");
  }

  @Test
  void topRefusesWhatIsOutOfRange() {
    assertThat(call("top", "--seconds", "61").err()).contains("window is PT1M1S");
    assertThat(call("top", "--tenants", "0").code()).isEqualTo(2);
  }

  private Invocation call(String... args) {
    String[] all = Arrays.copyOf(args, args.length + 2);
    all[args.length] = "--jdbc-url";
    all[args.length + 1] = database.jdbcUrl();
    return Invocation.of(all);
  }
}
