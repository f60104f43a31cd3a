package dev.rota.internal.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rota.internal.db.NoConnectionException;
import dev.rota.testing.Await;
import dev.rota.testing.TestDatabase;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

class ConnectionPoolTest {

  private static final int CALLERS = 8;
  private static final int SIZE = 10;
  private static final int MANY = 5_000;
  // Autovacuum's workers have a session in the database as well.
  private static final String SESSIONS =
      "select count(*) from pg_stat_activity where datname = current_database()"
          + " and backend_type = 'client backend' and pid <> pg_backend_pid()";
  private static final String SESSION = "select pg_backend_pid()";
  private static final Set<Thread.State> WAITING =
      Set.of(Thread.State.WAITING, Thread.State.TIMED_WAITING);

  private final Queue<Socket> clients = new ConcurrentLinkedQueue<>();
  private final Queue<SQLException> failures = new ConcurrentLinkedQueue<>();

  @Test
  void callersShareTheFirstAttemptAndItsFailure() throws Exception {
    try (ServerSocket door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      new Thread(() -> letIn(door), "doorkeeper").start();
      ConnectionPool pool =
          new ConnectionPool("jdbc:postgresql://localhost:" + door.getLocalPort() + "/none", 4);
      List<Thread> callers = new ArrayList<>();
      for (int i = 0; i < CALLERS; i++) {
        Thread caller = new Thread(() -> use(pool), "caller");
        caller.start();
        callers.add(caller);
      }
      Await.until(
          "all wait",
          () ->
              !clients.isEmpty()
                  && callers.stream().allMatch(caller -> WAITING.contains(caller.getState())));
      assertThat(clients).hasSize(1);
      door.close();
      clients.remove().close();
      for (Thread caller : callers) {
        caller.join();
      }
      pool.close();
    }
    assertThat(failures).hasSize(CALLERS).allMatch(NoConnectionException.class::isInstance);
    assertThat(failures).doesNotHaveDuplicates();
  }

  @Test
  void aStatementThatIsNotSupportedCostsNoConnection() throws SQLException {
    try (TestDatabase server = TestDatabase.create();
        ConnectionPool pool = new ConnectionPool(server.jdbcUrl(), 1);
        Connection connection = pool.getConnection()) {
      List<String> session = TestDatabase.texts(connection, SESSION);
      assertThatThrownBy(() -> TestDatabase.texts(connection, "select distinct 1 for update"))
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("0A000"));
      connection.rollback();
      assertThat(TestDatabase.texts(connection, SESSION)).isEqualTo(session);
    }
  }

  @Test
  void itOpensConnectionsAsTheyAreUsed() throws SQLException {
    try (TestDatabase server = TestDatabase.create();
        ConnectionPool pool = new ConnectionPool(server.jdbcUrl(), SIZE)) {
      pool.getConnection().close();
      Await.until("the pool has idle ones", () -> server.number(SESSIONS) >= 2);
      // A pool that opened all would have done so by the end of these.
      for (int i = 0; i < MANY; i++) {
        try (Connection connection = pool.getConnection()) {
          assertThat(TestDatabase.texts(connection, "select 1")).containsExactly("1");
        }
      }
      // One that is used, or was just taken from the idle ones, and two that are idle.
      assertThat(server.number(SESSIONS)).isBetween(1L, 3L);
      List<Connection> used = new ArrayList<>();
      for (int i = 0; i < SIZE; i++) {
        used.add(pool.getConnection());
      }
      assertThat(server.number(SESSIONS)).isEqualTo(SIZE);
      for (Connection connection : used) {
        connection.close();
      }
    }
  }

  private void use(ConnectionPool pool) {
    try {
      pool.getConnection().close();
    } catch (SQLException e) {
      failures.add(e);
    }
  }

  private void letIn(ServerSocket door) {
    try {
      while (true) {
        clients.add(door.accept());
      }
    } catch (IOException e) {
      // The test is over.
      assertThat(door.isClosed()).isTrue();
    }
  }
}
