package dev.rota.daemon.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.daemon.internal.leader.DaemonConfig;
import dev.rota.daemon.internal.leader.DaemonCounters;
import dev.rota.daemon.internal.leader.LeaderLock;
import dev.rota.daemon.internal.leader.LeaderSession;
import dev.rota.internal.DefaultRota;
import dev.rota.internal.Kernel;
import dev.rota.internal.enqueue.DaemonWatch;
import dev.rota.internal.maintenance.MaintenanceTask;
import dev.rota.processes.MigratedDatabase;
import dev.rota.testing.TestDatabase;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that the share of time which a daemon may use reaches the task that rotates rings. */
class WorkShareTest {

  private TestDatabase database;
  private Rota rota;
  private Tenant acme;

  @BeforeEach
  void open() {
    database = MigratedDatabase.create();
    rota = Rota.connect(database.jdbcUrl());
    acme = rota.tenants().register("acme");
    acme.enqueue(NewTask.of("k", "{}"));
  }

  @AfterEach
  void close() throws Exception {
    rota.close();
    database.close();
  }

  @Test
  void aDaemonWithAllTheTimeRotatesTheNextRingAtOnce() throws Exception {
    assertThat(restAfterRotation(1)).isZero();
  }

  @Test
  void aDaemonWithAPartOfTheTimeRestsAfterARotation() throws Exception {
    assertThat(restAfterRotation(0.25)).isPositive();
  }

  private Duration restAfterRotation(double share) throws Exception {
    Kernel kernel = DefaultRota.kernelOf(rota);
    DaemonConfig config = DaemonBuilder.over(rota).slotBytes(8_192).workShare(share).config();
    DaemonCounters counters = new DaemonCounters();
    LeaderLock leadership =
        new LeaderLock(kernel.database(), kernel.settings().lockNamespace(), DaemonWatch.LEADER);
    LeaderSession leader = leadership.seek();
    List<MaintenanceTask> tasks =
        new MaintenancePlan(leader, kernel, DefaultRota.featuresOf(rota), config, counters).begin();
    task(tasks, "look for due rotations").run();
    Duration rest = task(tasks, "rotate rings").run();
    leadership.resign();
    assertThat(counters.rotations).hasValue(1);
    return rest;
  }

  private static MaintenanceTask task(List<MaintenanceTask> tasks, String name) {
    return tasks.stream().filter(task -> task.name().equals(name)).findFirst().orElseThrow();
  }
}
