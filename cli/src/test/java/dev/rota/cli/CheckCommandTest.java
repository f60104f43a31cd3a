package dev.rota.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.rota.crash.server.ControlledServer;
import dev.rota.testing.TestDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests that the findings of a preflight are shown, and that errors keep commands from starting.
 */
class CheckCommandTest {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  @Test
  void saysWhenThereIsNothing() {
    try (TestDatabase database = TestDatabase.create()) {
      Invocation check = Invocation.of("check", "--jdbc-url", database.jdbcUrl());
      assertThat(check).isEqualTo(new Invocation(0, "Nothing found.\n", ""));
      Invocation json = Invocation.of("check", "--json", "--jdbc-url", database.jdbcUrl());
      assertThat(json).isEqualTo(new Invocation(0, "[]\n", ""));
    }
  }

  @Test
  @Tag("exhaustive")
  void anErrorFailsAndKeepsTheDaemonFromStarting() throws Exception {
    try (TestDatabase database = TestDatabase.create()) {
      String url = database.jdbcUrl();
      assertThat(Invocation.of("migrate", "--jdbc-url", url).code()).isZero();
      database.execute("create publication \"evil\u001b[2J\" for all tables");

      Invocation check = Invocation.of("check", "--jdbc-url", url);
      assertThat(check.code()).isEqualTo(1);
      assertThat(check.out())
          .startsWith("error: publication evil?[2J publishes deletes or updates of all tables: ")
          .hasLineCount(1);

      Invocation status = Invocation.of("status", "--jdbc-url", url);
      assertThat(status.code()).isZero();
      assertThat(status.out().lines().toList().get(2)).startsWith("error: publication evil?[2J");

      JsonNode shown = JSON.readTree(Invocation.of("status", "--json", "--jdbc-url", url).out());
      assertThat(shown.get("findings").get(0).get("check").asText()).isEqualTo("publications");
      assertThat(shown.get("findings").get(0).get("severity").asText()).isEqualTo("error");
      assertThat(shown.get("findings").get(0).get("problem").asText()).contains("evil\u001b[2J");

      Invocation daemon = Invocation.of("daemon", "--jdbc-url", url);
      assertThat(daemon.code()).isEqualTo(1);
      assertThat(daemon.err()).startsWith("rota: publication evil?[2J").hasLineCount(1);
    }
  }

  @Test
  @Tag("exhaustive")
  void findsHowAServerForgetsAndWhatItIsShortOf() throws Exception {
    try (ControlledServer server =
        ControlledServer.builder(18)
            .set("fsync", "off")
            .set("full_page_writes", "off")
            .set("synchronous_commit", "off")
            .set("autovacuum", "off")
            .set("max_connections", "20")
            .set("max_locks_per_transaction", "10")
            .set("max_prepared_transactions", "2")
            .start()) {
      assertThat(findings(server))
          .satisfiesExactly(
              one -> assertThat(one).startsWith("warning: fsync is off (set by: "),
              one -> assertThat(one).startsWith("warning: full_page_writes is off"),
              one -> assertThat(one).startsWith("warning: synchronous_commit is off"),
              one -> assertThat(one).startsWith("warning: autovacuum is off"),
              one ->
                  assertThat(one)
                      .startsWith("warning: the lock table has room for 220 locks: a claim may"));
      assertThat(Invocation.of("migrate", "--jdbc-url", server.jdbcUrl()).code()).isZero();
      for (int i = 0; i < 4; i++) {
        server.execute(tables(i * 50, i * 50 + 50));
      }
      assertThat(findings(server))
          .last()
          .asString()
          .startsWith("warning: the lock table has room for 220 locks: pg_dump");
    }
  }

  @Test
  void findsAStandby() throws Exception {
    try (ControlledServer server = ControlledServer.builder(18).start()) {
      Path data = Path.of(server.texts("show data_directory").get(0));
      server.stopFast();
      Files.createFile(data.resolve("standby.signal"));
      server.restart();
      Invocation check = Invocation.of("check", "--jdbc-url", server.jdbcUrl());
      assertThat(check.code()).isEqualTo(1);
      assertThat(check.out()).startsWith("error: the server is a standby: it takes no changes; ");
      Invocation migrate = Invocation.of("migrate", "--jdbc-url", server.jdbcUrl());
      assertThat(migrate.code()).isEqualTo(1);
      assertThat(migrate.err()).startsWith("rota: the server is a standby");
    }
  }

  private static List<String> findings(ControlledServer server) {
    Invocation check = Invocation.of("check", "--jdbc-url", server.jdbcUrl());
    assertThat(check.code()).isZero();
    return check.out().lines().toList();
  }

  private static String tables(int from, int to) {
    StringBuilder sql = new StringBuilder();
    for (int i = from; i < to; i++) {
      sql.append("create table mine_").append(i).append(" (id int);");
    }
    return sql.toString();
  }
}
