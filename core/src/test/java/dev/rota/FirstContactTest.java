package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.rota.testing.TestDatabase;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests a pool of Rota's own whose first connection fails. */
class FirstContactTest {

  /**
   * A wrong password, no such database, no right to connect. Where no rule admits the login (28000)
   * the driver itself tries once more, without encryption.
   */
  private static final List<String> FINAL_REFUSALS = List.of("28P01", "3D000", "42501");

  static List<Consumer<Rota>> firstUses() {
    return List.of(
        rota -> rota.admin().migrate(),
        rota -> rota.admin().preflight(),
        rota -> rota.tenants().list());
  }

  @ParameterizedTest
  @MethodSource("firstUses")
  void aWrongPortFailsAtOnce(Consumer<Rota> use) throws IOException {
    int port = closedPort();
    DatabaseException failure =
        failureOf(use, "jdbc:postgresql://localhost:" + port + "/shop?user=joe&password=canary");
    assertThat(failure)
        .hasMessageContaining("cannot connect to database \"shop\" at localhost:" + port)
        .hasMessageContaining("refused")
        .hasMessageNotContaining("canary");
    assertThat(failure.unavailable()).isTrue();
  }

  @ParameterizedTest
  @MethodSource("firstUses")
  void anUnknownHostFailsAtOnce(Consumer<Rota> use) {
    assertThat(failureOf(use, "jdbc:postgresql://no.such.invalid/shop"))
        .hasMessageContaining("cannot connect to database \"shop\" at no.such.invalid:5432")
        .hasMessageContaining("the host no.such.invalid is unknown");
  }

  @ParameterizedTest
  @MethodSource("firstUses")
  void aWrongDatabaseFailsAtOnce(Consumer<Rota> use) throws Exception {
    try (TestDatabase database = TestDatabase.create()) {
      String url = database.jdbcUrl().replace(database.name(), "nil");
      DatabaseException failure = failureOf(use, url);
      assertThat(failure)
          .hasMessageContaining("cannot connect to database \"nil\" at ")
          .hasMessageContaining("FATAL: database \"nil\" does not exist");
      assertThat(failure.unavailable()).isFalse();
    }
  }

  @ParameterizedTest
  @MethodSource("firstUses")
  void aRefusedLoginIsNotTriedAgain(Consumer<Rota> use) throws IOException {
    for (String state : FINAL_REFUSALS) {
      isNotTriedAgain(use, state);
    }
  }

  private static void isNotTriedAgain(Consumer<Rota> use, String state) throws IOException {
    try (RefusingServer server = new RefusingServer(state, "no entry for joe")) {
      String url =
          "jdbc:postgresql://localhost:" + server.port() + "/shop?user=joe&password=canary";
      assertThat(failureOf(use, url))
          .hasMessageContaining("cannot connect to database \"shop\" at localhost:")
          .hasMessageContaining("no entry for joe")
          .hasMessageNotContaining("canary");
      assertThat(server.attempts()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @MethodSource("firstUses")
  @Tag("exhaustive")
  void whatFailedFirstWorksOnceItsReasonIsGone(Consumer<Rota> use) throws Exception {
    try (RotaFixture fixture = RotaFixture.open()) {
      TestDatabase database = fixture.database();
      String owner = "joe_" + database.name();
      try (Rota rota = Rota.connect(database.jdbcUrl().replaceAll("user=[^&]*", "user=" + owner))) {
        assertThat(catchThrowableOfType(DatabaseException.class, () -> use.accept(rota)))
            .hasMessageContaining("\"" + owner + "\"");
        database.execute("create role " + owner + " superuser login password 'test'");
        use.accept(rota);
      } finally {
        database.execute("drop role " + owner);
      }
    }
  }

  private static DatabaseException failureOf(Consumer<Rota> use, String url) {
    try (Rota rota = Rota.connect(url)) {
      return catchThrowableOfType(DatabaseException.class, () -> use.accept(rota));
    }
  }

  private static int closedPort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
