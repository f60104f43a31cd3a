package dev.rota.processes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rota.Given;
import dev.rota.PostgresVersions;
import dev.rota.Rota;
import dev.rota.RotaFixture;
import dev.rota.RotaTest;
import dev.rota.assignment.Assignment;
import dev.rota.assignment.WorkerPool;
import dev.rota.daemon.RotationDaemon;
import dev.rota.testing.Await;
import dev.rota.testing.TestDatabase;
import java.io.File;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests the assignments of a process that dies, or that sleeps through its lease. */
@RotaTest
@PostgresVersions({15, 18})
@Tag("exhaustive")
class KilledHolderTest {

  /** Short, since a process that wakes has to find that it is over. */
  private static final String LEASE_OF_A_SLEEPER_MILLIS = "2000";

  private static final String HELD_BY_NOBODY =
      "select count(*) from rota_1.task_assignment_1"
          + " where holder not in (select id from rota.worker)";

  @Given private RotaFixture fixture;
  @Given private TestDatabase database;
  private RotationDaemon daemon;
  private WorkerPool crawlers;

  @BeforeEach
  void open() {
    Rota rota = fixture.closeLater(Rota.builder(database.jdbcUrl()).lease(Leases.LONG).build());
    crawlers = rota.tenants().register("acme").assignments().workers("crawlers");
    crawlers.add(List.of(1L, 2L, 3L));
    daemon = fixture.closeLater(RotationDaemon.builder(rota).tick(Duration.ofMillis(50)).start());
  }

  @Test
  void workersOfAKilledProcessAreFreeAgain() throws Exception {
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

  @Test
  void aProcessThatWakesAfterItsLeaseReleasesNothing() throws Exception {
    assumeTrue(new File("/bin/kill").exists() || new File("/usr/bin/kill").exists(), "needs kill");
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
