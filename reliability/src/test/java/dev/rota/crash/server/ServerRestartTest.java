package dev.rota.crash.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rota.DatabaseException;
import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.TaskState;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.cli.database.LocalServer;
import dev.rota.daemon.RotationDaemon;
import dev.rota.testing.Await;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that worker and daemon continue by themselves after a restart of the server. */
@Tag("exhaustive")
class ServerRestartTest {

  private static final int TASKS = 2_000;

  @TempDir private Path directory;

  private final Set<Long> ran = ConcurrentHashMap.newKeySet();

  @Test
  void workGoesOnWhenTheServerIsBack() throws Exception {
    Path data = directory.resolve("data");
    LocalServer server = LocalServer.start(data);
    try (FaultProxy network = FaultProxy.to(port(server));
        Rota rota =
            Rota.builder(network.through(server.jdbcUrl())).lease(Duration.ofSeconds(2)).build()) {
      rota.admin().migrate();
      Tenant acme = rota.tenants().register("acme");
      try (RotationDaemon daemon = daemon(rota);
          Worker worker = rota.worker().handle("k", task -> ran.add(task.id())).start()) {
        acme.enqueueAll(tasks());
        Await.until("work has begun", () -> ran.size() > 0);
        Await.until("the daemon leads", daemon::isLeading);

        server.close();
        network.cutAll();
        assertThatThrownBy(() -> acme.enqueue(NewTask.of("k", "{}")))
            .isInstanceOfSatisfying(
                DatabaseException.class, e -> assertThat(e.unavailable()).isTrue())
            .hasMessageContaining("acme")
            .hasMessageContaining("not available");
        Await.until("the daemon has lost its lead", () -> !daemon.isLeading());

        server = LocalServer.start(data);
        network.pointTo(port(server));
        Await.until("the daemon leads again", daemon::isLeading);
        acme.enqueueAll(tasks());
        Await.until(
            "all is done", () -> acme.history().scanStates().get(TaskState.DONE) == 2 * TASKS);
        assertThat(ran).hasSize(2 * TASKS);
        assertThat(acme.history().scanStates()).containsEntry(TaskState.RUNNING, 0L);
        assertThat(worker.statistics().done()).isPositive();
      }
    } finally {
      server.close();
    }
  }

  private static List<NewTask> tasks() {
    return Collections.nCopies(TASKS, NewTask.of("k", "{}"));
  }

  private static RotationDaemon daemon(Rota rota) {
    return RotationDaemon.builder(rota)
        .rotateEvery(Duration.ofSeconds(1))
        .tick(Duration.ofMillis(50))
        .start();
  }

  private static int port(LocalServer server) {
    return URI.create(server.jdbcUrl().substring("jdbc:".length())).getPort();
  }
}
