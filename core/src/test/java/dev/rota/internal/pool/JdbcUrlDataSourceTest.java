package dev.rota.internal.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rota.RotaFixture;
import dev.rota.testing.Await;
import dev.rota.testing.TestDatabase;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class JdbcUrlDataSourceTest {

  private static final int ATTEMPTS = 10;

  @Test
  void goesOnTryingUntilItsPoolIsClosed() throws Exception {
    AtomicInteger attempts = new AtomicInteger();
    try (ServerSocket door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      new Thread(() -> turnAway(door, attempts), "doorkeeper").start();
      JdbcUrlDataSource dialer =
          JdbcUrlDataSource.to(
              Login.of("jdbc:postgresql://localhost:" + door.getLocalPort() + "/none"));
      assertThatThrownBy(dialer::getConnection).hasMessageContaining("connection attempt failed");
      CompletableFuture<Void> outcome = new CompletableFuture<>();
      Thread pool = new Thread(() -> dial(dialer, outcome), "pool");
      pool.start();
      Await.until("many attempts", () -> attempts.get() > ATTEMPTS);
      assertThat(outcome).isNotDone();
      pool.interrupt();
      assertThat(outcome).failsWithin(Duration.ofSeconds(30));
      pool.join(Duration.ofSeconds(30).toMillis());
      assertThat(pool.isAlive()).isFalse();
    }
  }

  @Test
  void refusesWhatNoDriverKnows() {
    Login login = Login.of("jdbc:mysql://joe:secret@localhost/db?password=secret");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> JdbcUrlDataSource.to(login))
        .withMessageContaining("use jdbc:postgresql://")
        .withMessageNotContaining("secret")
        .withNoCause();
  }

  @Test
  void tellsAtOnceWhatTimeDoesNotMend() throws Exception {
    try (TestDatabase database = TestDatabase.create()) {
      JdbcUrlDataSource dialer =
          JdbcUrlDataSource.to(Login.of(database.jdbcUrl().replace(database.name(), "missing")));
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(dialer::getConnection)
            .isInstanceOf(SQLException.class)
            .hasMessageContaining("\"missing\" does not exist");
      }
      try (Connection connection =
          JdbcUrlDataSource.to(Login.of(database.jdbcUrl())).getConnection()) {
        assertThat(RotaFixture.texts(connection, "select 1")).containsExactly("1");
      }
    }
  }

  private static void dial(JdbcUrlDataSource dialer, CompletableFuture<Void> outcome) {
    try (Connection connection = dialer.getConnection()) {
      outcome.complete(null);
    } catch (SQLException e) {
      outcome.completeExceptionally(e);
    }
  }

  private static void turnAway(ServerSocket door, AtomicInteger attempts) {
    try {
      while (true) {
        try (Socket client = door.accept()) {
          client.setTcpNoDelay(true);
          attempts.incrementAndGet();
        }
      }
    } catch (IOException e) {
      // The test is over.
      assertThat(door.isClosed()).isTrue();
    }
  }
}
