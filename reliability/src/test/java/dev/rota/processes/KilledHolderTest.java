package dev.rota.processes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rota.Rota;
import dev.rota.assignment.Assignment;
import dev.rota.assignment.WorkerPool;
import dev.rota.daemon.RotationDaemon;
import dev.rota.testing.Await;
import dev.rota.testing.TestDatabase;
import java.io.File;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the assignments of a process that dies, or that sleeps through its lease. */
class KilledHolderTest {

  /** Short, since a process that wakes has to find that it is over. */
  private static final String LEASE_OF_A_SLEEPER_MILLIS = "2000";

  private static final String HELD_BY_NOBODY =
      "select count(*) from rota_1.task_assignment_1"
          + " where holder not in (select id from rota.worker)";

  private TestDatabase database;
  private Rota rota;
  private RotationDaemon daemon;
  private WorkerPool crawlers;

  private void open(int major) {
    database = MigratedDatabase.onVersion(major);
    rota = Rota.builder(database.jdbcUrl()).lease(Leases.LONG).build();
    crawlers = rota.tenants().register("acme").assignments().workers("crawlers");
    crawlers.add(List.of(1L, 2L, 3L));
    daemon = RotationDaemon.builder(rota).tick(Duration.ofMillis(50)).start();
  }

  @AfterEach
  void close() {
    if (daemon != null) {
      daemon.close();
      rota.close();
      database.close();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {15, 18})
  void workersOfAKilledProcessAreFreeAgain(int major) throws Exception {
    open(major);
    try (JavaProcess process = start(Leases.LONG_MILLIS)) {
      assertThat(process.ask("assign 7")).isEqualTo("1");
      assertThat(process.ask("assign 8")).isEqualTo("2");
      Assignment ours = crawlers.assign(9).made().orElseThrow();
      assertThat(crawlers.assign(10).made()).isEmpty();

      process.kill();
      Leases.end(database, process);
      Await.until("its workers are free", () -> crawlers.countFree(), 2);
      assertThat(crawlers.findByTask(7)).isEmpty();
      assertThat(crawlers.findByTask(9)).contains(ours);
      assertThat(crawlers.assign(10).made()).isPresent();
      assertThat(crawlers.assign(11).made()).isPresent();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {15, 18})
  void aProcessThatWakesAfterItsLeaseReleasesNothing(int major) throws Exception {
    assumeTrue(new File("/bin/kill").exists() || new File("/usr/bin/kill").exists(), "needs kill");
    open(major);
    try (JavaProcess sleeper = start(LEASE_OF_A_SLEEPER_MILLIS)) {
      assertThat(sleeper.ask("assign 7")).isEqualTo("1");
      sleeper.freeze();
      Await.until("its worker is free", () -> crawlers.countFree(), 3);
      Assignment successor = crawlers.assign(7).made().orElseThrow();

      // So that its lease does not end once more, should it stand still again.
      daemon.close();
      sleeper.wake();
      assertThat(sleeper.ask("release")).isEqualTo("false");
      assertThat(crawlers.findByTask(7)).contains(successor);
      assertThat(sleeper.ask("assign 8")).isEqualTo("1");
      assertThat(database.number(HELD_BY_NOBODY)).as("no heartbeat was sent").isZero();
      assertThat(sleeper.ask("release")).isEqualTo("true");
      assertThat(crawlers.countFree()).isEqualTo(2);
    }
  }

  private JavaProcess start(String leaseMillis) throws Exception {
    return JavaProcess.start(AssignmentProcess.class, database.jdbcUrl(), leaseMillis);
  }
}
