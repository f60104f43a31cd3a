package dev.rota.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.PostgresVersions;
import dev.rota.Rota;
import dev.rota.RotaTest;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.testing.Await;
import dev.rota.testing.ClientProgram;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that worker and daemon continue when their tables are recreated: the names stay, the
 * numbers of the tables do not.
 */
@RotaTest
@PostgresVersions(15)
@Tag("exhaustive")
class CleanRestoreTest {

  private static final int ROUNDS = 3;
  private static final int ATTEMPTS = 5;

  @TempDir private Path folder;

  private final AtomicInteger ran = new AtomicInteger();
  @Given private DaemonFixture fixture;
  @Given private int server;
  private Tenant acme;

  @BeforeEach
  void open() throws Exception {
    acme = silent().tenants().register("acme");
    RotationDaemon daemon = fixture.daemon(settings -> settings.rotateEvery(Duration.ofHours(1)));
    Await.until("the daemon leads", daemon::isLeading);
  }

  @Test
  void tasksRunAfterARestoreThatCleans() throws Exception {
    try (Worker worker = worker()) {
      tasksRun();
      Path dump = folder.resolve("dump");
      ClientProgram.pipe(
          ClientProgram.forServer(server, "pg_dump")
              .command(fixture.database(), "--format=custom", "--file=" + dump));
      restore(dump);
      tasksRun();
      assertThat(worker.statistics().lost()).isZero();
    }
  }

  @Test
  void delayedTasksRunAfterTheirTableWasMadeAnew() throws Exception {
    try (Worker worker = worker()) {
      tasksRun();
      fixture.execute(
          "begin; create table rota_1.fresh (like rota_1.task_wait_1 including all);"
              + " drop table rota_1.task_wait_1 cascade;"
              + " alter table rota_1.fresh rename to task_wait_1; commit");
      tasksRun();
      assertThat(worker.statistics().lost()).isZero();
    }
  }

  /** Statements of worker and daemon may meet it in a deadlock; then it begins again. */
  private void restore(Path dump) throws Exception {
    ProcessBuilder restore =
        ClientProgram.forServer(server, "pg_restore")
            .command(fixture.database(), "--clean", "--single-transaction", dump.toString());
    for (int attempt = 1; ; attempt++) {
      try {
        ClientProgram.pipe(restore);
        return;
      } catch (IOException e) {
        if (attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  private void tasksRun() throws Exception {
    for (int i = 0; i < ROUNDS; i++) {
      int before = ran.get();
      acme.enqueue(NewTask.of("k", "{}"));
      Await.until("a task has run", () -> ran.get(), before + 1);
      acme.enqueue(NewTask.of("k", "{}").after(Duration.ofMillis(200)));
      Await.until("a delayed task has run", () -> ran.get(), before + 2);
    }
  }

  private Worker worker() {
    return silent().worker().handle("k", task -> ran.incrementAndGet()).start();
  }

  /** One that rings no doorbells. */
  private Rota silent() {
    return fixture.another(builder -> builder.doorbell(false));
  }
}
