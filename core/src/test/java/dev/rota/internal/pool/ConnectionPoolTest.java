package dev.rota.internal.pool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.internal.db.NoConnectionException;
import dev.rota.testing.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

class ConnectionPoolTest {

  private static final int CALLERS = 8;
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
