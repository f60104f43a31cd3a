package dev.rota.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RotaCommandTest {

  private static final String NOWHERE = "jdbc:postgresql://localhost:1/db";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "migrate",
        "daemon",
        "check",
        "status",
        "tenant",
        "tenant add",
        "tenant list",
        "tenant rename",
        "tenant close",
        "tenant reopen",
        "tenant lane",
        "reprioritize",
        "enqueue",
        "demo",
        "bench"
      })
  void helpIsEverywhere(String command) {
    Invocation call = Invocation.of((command + " --help").strip().split(" "));
    assertThat(call.code()).isZero();
    assertThat(call.out()).startsWith(("Usage: rota " + command).strip() + " ");
    assertThat(call.err()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "demo --unknown",
        "demo --tenants many",
        "demo --tenants 0",
        "demo --threads 0",
        "demo --rotate-every 10ms",
        "demo --rotate-every soon",
        "demo --trace no-such-file.csv",
        "demo --jdbc-url " + NOWHERE + " --embedded somewhere",
        "daemon --tick x --jdbc-url " + NOWHERE,
        "daemon --rotate-every 10ms --jdbc-url " + NOWHERE,
        "daemon --work-share 2 --jdbc-url " + NOWHERE,
        "daemon --work-share 0 --jdbc-url " + NOWHERE,
        "status",
        "status --jdbc-url mysql://localhost/db",
        "status --jdbc-url jdbc:postgresql://localhost:port/db",
        "status --schema Bad! --jdbc-url " + NOWHERE,
        "enqueue acme",
        "tenant add",
        "bench --seconds 1",
        "nonsense"
      })
  @Tag("exhaustive")
  void wrongUsageIsOneSentenceAndCode2(String command) {
    Invocation call = Invocation.of(command.split(" "));
    assertThat(call.code()).isEqualTo(2);
    assertThat(call.out()).isEmpty();
    assertThat(call.err().lines()).hasSize(1).first().asString().startsWith("rota: ");
  }

  @Test
  void withoutCommandItShowsHowToUseIt() {
    Invocation call = Invocation.of();
    assertThat(call.code()).isEqualTo(2);
    assertThat(call.err()).startsWith("Usage: rota ");
  }

  @Test
  void theCommandOfTheOtherJarIsNamed() {
    assertThat(Invocation.of("--help").out()).contains("bench", "./rota bench");
    assertThat(Invocation.of("bench").err()).contains("benchmarks.jar");
  }

  @Test
  void refusedConnectionIsNamed() {
    Invocation call = Invocation.of("status", "--jdbc-url", NOWHERE);
    assertThat(call.code()).isEqualTo(1);
    assertThat(call.err())
        .startsWith("rota: no server answers at localhost:1")
        .contains("(database \"")
        .contains("\" at localhost:1)");
    assertThat(call.err().lines()).hasSize(1);
  }

  @Test
  void unknownHostIsNamed() {
    Invocation call = Invocation.of("status", "--jdbc-url", "jdbc:postgresql://no.such.invalid/db");
    assertThat(call.code()).isEqualTo(1);
    assertThat(call.err())
        .startsWith("rota: the host no.such.invalid is unknown")
        .contains("(database \"db\" at no.such.invalid:5432)");
  }

  @Test
  void theUrlMayComeFromTheEnvironment() {
    Invocation call = Invocation.of(Map.of("ROTA_JDBC_URL", NOWHERE), "", "status");
    assertThat(call.err()).startsWith("rota: no server answers at localhost:1");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "status --jdbc-url jdbc:postgresql://localhost:1/db?password=canary",
        "status --jdbc-url jdbc:postgresql://joe:canary@localhost:1/db",
        "status --jdbc-url jdbc:postgresql://localhost:x/db?password=canary",
        "status --jdbc-url postgresql://joe:canary@localhost/db",
        "status --url jdbc:postgresql://localhost:1/db?password=canary",
        "status jdbc:postgresql://joe:canary@localhost:1/db",
        "migrate --jdbc-url jdbc:postgresql://localhost:1/db?user=joe&password=canary",
        "demo --jdbc-url jdbc:postgresql://localhost:1/db?user=joe&password=canary"
      })
  void passwordsAreNeverPrinted(String command) {
    Invocation call = Invocation.of(Map.of("PGPASSWORD", "canary"), "", command.split(" "));
    assertThat(call.code()).isNotZero();
    assertThat(call.all()).doesNotContain("canary");
  }
}
