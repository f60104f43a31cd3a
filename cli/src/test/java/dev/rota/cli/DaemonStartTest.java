package dev.rota.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.crash.server.ControlledServer;
import dev.rota.crash.server.FaultProxy;
import dev.rota.processes.MigratedDatabase;
import dev.rota.testing.TestDatabase;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests a daemon whose first connection fails or breaks. */
class DaemonStartTest {

  private static final String AGAIN = "trying again until it works";

  @Test
  @Tag("exhaustive")
  void oneOfTwoLeadsOnceTheServerIsBack() throws Exception {
    try (ControlledServer server = ControlledServer.start(18)) {
      migrate(server.jdbcUrl());
      server.stopFast();
      try (RunningCommandLine one = daemon(server.jdbcUrl());
          RunningCommandLine other = daemon(server.jdbcUrl())) {
        one.await(AGAIN);
        other.await(AGAIN);
        server.restart();
        one.await("rota: standing by for leadership");
        other.await("rota: standing by for leadership");
        RunningCommandLine.awaitAny("rota: leading\n", one, other);
        assertThat(one.stop()).isZero();
        assertThat(other.stop()).isZero();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"57P01", "57P02", "57P03", "53300", "08006"})
  @Tag("exhaustive")
  void isTriedAgainWhileTheServerRefusesLogins(String state) throws Exception {
    try (TestDatabase database = MigratedDatabase.create();
        RefusingServer refusing = new RefusingServer(state);
        FaultProxy network = FaultProxy.to(refusing.port());
        RunningCommandLine daemon = daemon(network.through(database.jdbcUrl()))) {
      daemon.await(AGAIN);
      network.pointTo(port(database.jdbcUrl()));
      daemon.await("rota: leading\n");
      assertThat(daemon.text().lines().filter(line -> line.contains(AGAIN))).hasSize(1);
    }
  }

  /** Sessions end at their login, or at any later one of the steps before the daemon leads. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5})
  @Tag("exhaustive")
  void isTriedAgainAfterItsSessionWasTerminated(int logins) throws Exception {
    try (TestDatabase database = MigratedDatabase.create()) {
      database.execute("create sequence public.login");
      database.execute(
          "create function public.expel() returns event_trigger language plpgsql as $$ begin"
              + " if nextval('public.login') <= "
              + logins
              + " then perform pg_terminate_backend(pg_backend_pid()); end if; end $$");
      database.execute(
          "create event trigger expel on login execute function public.expel();"
              + " alter event trigger expel enable always");
      try (RunningCommandLine daemon = daemon(database.jdbcUrl())) {
        daemon.await("rota: leading\n");
        assertThat(daemon.text()).contains(AGAIN);
      }
    }
  }

  @Test
  @Tag("exhaustive")
  void isTriedAgainUntilOneOfManyHostsIsThePrimary() throws Exception {
    try (ControlledServer server = ControlledServer.start(18)) {
      migrate(server.jdbcUrl());
      Path data = Path.of(String.valueOf(server.texts("show data_directory").get(0)));
      server.stopFast();
      Files.createFile(data.resolve("standby.signal"));
      server.restart();
      String url =
          server
              .jdbcUrl()
              .replaceFirst("//", "//localhost:" + closedPort() + ",")
              .replaceFirst("\\?|$", "?targetServerType=primary&");
      try (RunningCommandLine daemon = daemon(url)) {
        daemon.await(AGAIN);
        server.texts("select pg_promote()");
        daemon.await("rota: leading\n");
      }
    }
  }

  @Test
  void stopsInGoodOrderBeforeItHasConnected() throws Exception {
    try (RunningCommandLine daemon =
        daemon("jdbc:postgresql://localhost:" + closedPort() + "/none?user=joe&password=canary")) {
      daemon.await(AGAIN);
      assertThat(daemon.stop()).isZero();
      assertThat(daemon.text()).contains("rota: daemon stops").doesNotContain("canary");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "28P01, the server refused the login",
    "28000, the server refused the login",
    "08004, the server refused the connection",
    "3D000, the server has no such database",
  })
  void whatTimeDoesNotMendFailsAtOnce(String state, String said) throws Exception {
    try (RefusingServer refusing = new RefusingServer(state)) {
      Invocation done =
          Invocation.of(
              "daemon", "--jdbc-url", "jdbc:postgresql://localhost:" + refusing.port() + "/x");
      assertThat(done.code()).isEqualTo(1);
      assertThat(done.err()).startsWith("rota: " + said).hasLineCount(1);
    }
  }

  @Test
  void aSchemaThatIsMissingOrOlderFailsAtOnce() throws Exception {
    try (TestDatabase database = TestDatabase.create()) {
      Invocation missing = Invocation.of("daemon", "--jdbc-url", database.jdbcUrl());
      assertThat(missing.code()).isEqualTo(1);
      assertThat(missing.err()).contains("run `rota migrate` first").hasLineCount(1);
    }
    try (TestDatabase database = MigratedDatabase.create()) {
      database.execute(
          "delete from rota.schema_history where installed_rank ="
              + " (select max(installed_rank) from rota.schema_history)");
      Invocation older = Invocation.of("daemon", "--jdbc-url", database.jdbcUrl());
      assertThat(older.code()).isEqualTo(1);
      assertThat(older.err()).contains("run `rota migrate` first").hasLineCount(1);
    }
  }

  private static RunningCommandLine daemon(String url) {
    return new RunningCommandLine(List.of("daemon", "--tick", "50ms", "--jdbc-url", url));
  }

  private static void migrate(String url) {
    assertThat(Invocation.of("migrate", "--jdbc-url", url).code()).isZero();
  }

  private static int port(String url) {
    return URI.create(url.substring("jdbc:".length())).getPort();
  }

  private static int closedPort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
