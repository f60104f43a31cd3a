package dev.rota.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.rota.DatabaseException;
import dev.rota.Rota;
import dev.rota.cli.database.LocalServer;
import dev.rota.cli.database.LocalServerTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests logins to a server that needs a password, unlike those of the other tests. */
class LoginTest {

  @TempDir static Path directory;

  private static LocalServer server;

  @BeforeAll
  static void startWithPasswords() throws SQLException, IOException {
    try (LocalServer first = LocalServer.start(directory)) {
      LocalServerTest.execute(first, "create role joe login password 'the real one'");
      LocalServerTest.execute(first, "create database joes owner joe");
    }
    Path rules = directory.resolve("pg_hba.conf");
    Files.writeString(rules, "host all joe all scram-sha-256\n" + Files.readString(rules));
    server = LocalServer.start(directory);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void wrongPasswordIsSaidAndNotShown() {
    Invocation call = call("canary", "status");
    assertThat(call.code()).isEqualTo(1);
    assertThat(call.err())
        .startsWith("rota: the server refused the login")
        .contains("database \"joes\" at ", "for user \"joe\"");
    assertThat(call.err().lines()).hasSize(1);
    assertThat(call.all()).doesNotContain("canary");
  }

  @Test
  void wrongPasswordInTheUrlIsNotShownEither() {
    Invocation call =
        Invocation.of("migrate", "--jdbc-url", url() + "?user=joe&password=the%20canary");
    assertThat(call.code()).isEqualTo(1);
    assertThat(call.err()).startsWith("rota: the server refused the login");
    assertThat(call.all()).doesNotContain("canary");
  }

  @Test
  void missingPasswordIsSaid() {
    Invocation call = Invocation.of("status", "--jdbc-url", url() + "?user=joe");
    assertThat(call.code()).isEqualTo(1);
    assertThat(call.err()).contains("password");
  }

  @Test
  void missingDatabaseIsSaid() {
    Invocation call =
        Invocation.of("status", "--jdbc-url", server.jdbcUrl().replace("/postgres", "/nil"));
    assertThat(call.code()).isEqualTo(1);
    assertThat(call.err())
        .startsWith("rota: the server has no such database")
        .contains("database \"nil\" at ", "FATAL: database \"nil\"");
  }

  @Test
  @Tag("exhaustive")
  void rightPasswordFromTheEnvironmentWorks() {
    assertThat(call("the real one", "migrate").code()).isZero();
    assertThat(call("the real one", "status").code()).isZero();
  }

  @Test
  void theLibrarySaysWhereItWentAndWhatTheServerAnswered() {
    try (Rota rota = Rota.connect(url() + "?user=joe&password=the%20canary")) {
      assertThatExceptionOfType(DatabaseException.class)
          .isThrownBy(rota.admin()::migrate)
          .withMessageContaining("cannot connect to database \"joes\" at ")
          .withMessageContaining("FATAL: password authentication failed for user \"joe\"")
          .withMessageNotContaining("canary");
    }
  }

  private static Invocation call(String password, String command) {
    return Invocation.of(
        Map.of("PGUSER", "joe", "PGPASSWORD", password), "", command, "--jdbc-url", url());
  }

  private static String url() {
    return server.jdbcUrl().replaceAll("/postgres\\?.*", "/joes");
  }
}
