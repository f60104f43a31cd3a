package dev.rota.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.rota.Batch;
import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.RotaTest;
import dev.rota.Tenant;
import dev.rota.testing.TestDatabase;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@RotaTest
class UsageCommandTest {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  @Given private TestDatabase database;
  @Given private Rota rota;

  @BeforeEach
  void open() {
    run("acme", 3);
    run("other", 1);
  }

  private void run(String name, int count) {
    Tenant tenant = rota.tenants().register(name);
    tenant.enqueueAll(Collections.nCopies(count, NewTask.of("mail", "{}")));
    try (Batch batch = tenant.claim(count)) {
      batch.settle();
    }
  }

  @Test
  void printsATable() {
    List<String> lines = call().out().lines().toList();
    assertThat(lines).hasSize(3);
    assertThat(lines.get(0)).startsWith("HOUR").endsWith("TENANT");
    assertThat(lines.get(1)).contains(":00:00Z  3 ").endsWith("acme");
    assertThat(lines.get(2)).contains(":00:00Z  1 ").endsWith("other");
  }

  @Test
  @Tag("exhaustive")
  void printsJsonAndCsv() throws IOException {
    JsonNode first = JSON.readTree(call("--json").out()).get(0);
    assertThat(first.get("tenant").asText()).isEqualTo("acme");
    assertThat(first.get("attempts").asInt()).isEqualTo(3);
    assertThat(first.get("bytes").asInt()).isEqualTo(6);
    assertThat(first.get("runMicros").asLong()).isPositive();
    assertThat(first.get("lost").asInt()).isZero();
    assertThat(first.get("storageByteHours").asInt()).isZero();
    assertThat(JSON.readTree(call("--json", "--to", "2020-01-01").out())).isEmpty();
    List<String> lines = call("--csv").out().lines().toList();
    assertThat(lines.get(0))
        .isEqualTo("tenant,hour,attempts,run_micros,bytes,lost,storage_byte_hours");
    assertThat(lines.get(1)).matches("acme,[0-9T:-]+Z,3,[0-9]+,6,0,0");
    assertThat(lines).hasSize(3);
  }

  @Test
  @Tag("exhaustive")
  void narrowsToATenantAndATime() {
    assertThat(call("--csv", "--tenant", "other").out().lines()).hasSize(2);
    assertThat(call("--csv", "--from", "2020-01-01", "--to", "9999-01-01T00:00:00Z").out().lines())
        .hasSize(3);
    assertThat(call("--csv", "--to", "2020-01-01T08:00:00Z").out().lines()).hasSize(1);
  }

  @Test
  @Tag("exhaustive")
  void verifies() throws Exception {
    Invocation exact = call("--verify");
    assertThat(exact.out()).isEqualTo("exact\n");
    assertThat(exact.err()).isEqualTo("2 hours of tenants compared\n");
    database.execute("update rota.task_batch_1 set attempts = 4 where tenant = 1");
    Invocation different = call(1, "--verify");
    assertThat(different.out())
        .containsPattern("Z acme: usage has 4 attempts and 6 bytes, history 3 and 6\n")
        .doesNotContain("exact");
    database.execute("update rota.segment set dropped_at = now() where tenant = 1");
    Invocation skipped = call("--verify");
    assertThat(skipped.out()).isEqualTo("exact\n");
    assertThat(skipped.err())
        .contains("1 hours of tenants are not compared", "1 hours of tenants compared");
  }

  @Test
  void namesTheFormsThatItExpects() {
    assertThat(call(2, "--from", "yesterday").err())
        .contains("'yesterday' is not a time such as 2030-01-31 or 2030-01-31T08:00:00Z");
    assertThat(call(2, "--from", "2030-01-02", "--to", "2030-01-01").err())
        .contains("--to is before --from");
    assertThat(call(2, "--verify", "--tenant", "acme").err()).contains("leave out --tenant");
    assertThat(call(2, "--csv", "--json").err()).contains("mutually exclusive");
    assertThat(call(1, "--tenant", "nobody").err()).contains("no tenant is named 'nobody'");
  }

  private Invocation call(String... args) {
    return call(0, args);
  }

  private Invocation call(int code, String... args) {
    String[] all = new String[args.length + 3];
    all[0] = "usage";
    all[1] = "--jdbc-url";
    all[2] = database.jdbcUrl();
    System.arraycopy(args, 0, all, 3, args.length);
    Invocation invocation = Invocation.of(all);
    assertThat(invocation.code()).as(invocation.all()).isEqualTo(code);
    return invocation;
  }
}
