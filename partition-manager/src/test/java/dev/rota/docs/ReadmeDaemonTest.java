package dev.rota.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.NewTask;
import dev.rota.RetryPolicy;
import dev.rota.Rota;
import dev.rota.Task;
import dev.rota.Worker;
import dev.rota.testing.Await;
import dev.rota.testing.Documents;
import dev.rota.testing.TestDatabase;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests that the example of the daemon in docs/getting-started.md is this compiled one, and runs.
 */
class ReadmeDaemonTest {

  private static final String EXAMPLE =
      "partition-manager/src/test/java/dev/rota/docs/ReadmeDaemonExample.java";

  @Test
  void showsTheCompiledExample() {
    assertThat(Documents.blocks("docs/getting-started.md", "java"))
        .contains(Documents.region(EXAMPLE, "daemon"));
  }

  /** Only a daemon brings a failed task back into the ring. */
  @Test
  @Tag("exhaustive")
  void exampleRunsAndPromotesRetries() throws Exception {
    CountDownLatch succeeded = new CountDownLatch(1);
    RetryPolicy soon = RetryPolicy.exponential(2, Duration.ofMillis(1), Duration.ofMillis(1));
    try (TestDatabase database = TestDatabase.create();
        Rota rota = Rota.builder(database.jdbcUrl()).retry(soon).build()) {
      rota.admin().migrate();
      rota.tenants().register("acme").enqueue(NewTask.of("flaky", "{}"));
      try (Worker worker =
          rota.worker().handle("flaky", task -> failOnce(task, succeeded)).start()) {
        new ReadmeDaemonExample(() -> assertThat(await(succeeded)).isTrue()).run(rota);
        Await.until("the failure is counted", () -> worker.statistics().failed(), 1);
      }
    }
  }

  private static void failOnce(Task task, CountDownLatch succeeded) {
    if (task.attempt() == 1) {
      throw new IllegalStateException("the first attempt fails");
    }
    succeeded.countDown();
  }

  private static boolean await(CountDownLatch latch) {
    try {
      return latch.await(30, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
