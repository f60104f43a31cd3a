package dev.rota.crash.extremes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.DatabaseException;
import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.crash.CrashRun;
import dev.rota.crash.CrashTest;
import dev.rota.crash.server.ControlledServer;
import dev.rota.crash.server.SmallDisk;
import dev.rota.testing.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests full disks, for tables or for the write-ahead log, and the recovery afterwards. */
@CrashTest
class DiskFullTest {

  private static final int TOGETHER = 200;
  private static final int MOST_CALLS = 2_000;
  private static final Duration LEASE = Duration.ofSeconds(2);

  /** What a worker needs room for: its row in the table of workers, or history. */
  private static final Pattern WORKERS =
      Pattern.compile(
          "No space left on device\\n[^\\n]*HINT:[^\\n]*\\n[^\\n]*STATEMENT:[^\\n]*(\\n\\t[^\\n]*)*?"
              + "(\"rota\".\"worker\"|task_hist_)");

  @TempDir private Path elsewhere;

  private final List<Long> acknowledged = new ArrayList<>();

  @ParameterizedTest
  @ValueSource(ints = {15, 18})
  void withoutRoomForTablesAnEnqueueSaysSoAndNothingIsLost(int major) throws Exception {
    try (SmallDisk disk = SmallDisk.mount(160);
        ControlledServer server =
            ControlledServer.builder(major).dataIn(disk.directory()).walIn(elsewhere).start();
        Rota rota = Rota.builder(server.jdbcUrl()).lease(LEASE).build()) {
      rota.admin().migrate();
      Tenant acme = rota.tenants().register("acme");
      acknowledged.addAll(acme.enqueueAll(tasks()));
      disk.fill();
      DatabaseException failure = enqueueUntilRefused(acme);
      assertThat(failure).hasMessageContaining("acme").hasMessageContaining("No space left");
      assertThat(failure.outcomeUnknown()).isFalse();
      int before = acknowledged.size();
      try (Worker worker = rota.worker().handle("k", task -> {}).start()) {
        Await.until("a worker is refused, too", () -> WORKERS.matcher(log(server)).find());
        assertThat(worker.statistics().done()).isZero();
        assertThat(server.isRunning()).isTrue();
        disk.empty();
        acknowledged.addAll(acme.enqueueAll(tasks()));
        Attempts.awaitRest(List.of(acme), Await.USUAL);
        Await.until("all is counted", () -> worker.statistics().done(), acknowledged.size());
      }
      Attempts attempts = Attempts.read(server, List.of(acme));
      attempts.assertDoneOnce(acknowledged);
      assertThat(attempts.tasks()).as("nothing half inserted").isEqualTo(acknowledged.size());
      CrashRun.record(
          "disk-full-tables-" + major,
          Map.of("before", before, "all", acknowledged.size(), "error", failure.getMessage()));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {15, 18})
  void withoutRoomForTheLogTheServerStopsAndNothingIsLost(int major) throws Exception {
    try (SmallDisk disk = SmallDisk.mount(80);
        ControlledServer server = ControlledServer.builder(major).walIn(disk.directory()).start();
        Rota rota = Rota.builder(server.jdbcUrl()).lease(LEASE).build()) {
      rota.admin().migrate();
      Tenant acme = rota.tenants().register("acme");
      try (Worker worker = rota.worker().handle("k", task -> {}).start()) {
        acknowledged.addAll(acme.enqueueAll(tasks()));
        disk.fill();
        DatabaseException failure = enqueueUntilRefused(acme);
        assertThat(failure.unavailable()).as(failure.getMessage()).isTrue();
        server.awaitStopped();
        assertThat(log(server)).contains("PANIC", "No space left on device");
        disk.empty();
        server.restart();
        Await.until("the producer has found the server again", () -> isEnqueued(acme));
        Attempts.awaitRest(List.of(acme), Await.USUAL);
        assertThat(worker.statistics().done()).isPositive();
        Attempts.read(server, List.of(acme)).assertDoneOnce(acknowledged);
        CrashRun.record(
            "disk-full-log-" + major,
            Map.of("acknowledged", acknowledged.size(), "error", failure.getMessage()));
      }
    }
  }

  private DatabaseException enqueueUntilRefused(Tenant acme) {
    for (int i = 0; i < MOST_CALLS; i++) {
      try {
        acknowledged.addAll(acme.enqueueAll(tasks()));
      } catch (DatabaseException e) {
        return e;
      }
    }
    throw new AssertionError("the disk does not get full");
  }

  /** Connections of before are found to be broken one by one. */
  private boolean isEnqueued(Tenant acme) {
    try {
      return acknowledged.addAll(acme.enqueueAll(tasks()));
    } catch (DatabaseException e) {
      assertThat(e.unavailable()).as(e.getMessage()).isTrue();
      return false;
    }
  }

  private static String log(ControlledServer server) throws Exception {
    return Files.readString(server.log());
  }

  private static List<NewTask> tasks() {
    return Collections.nCopies(TOGETHER, NewTask.of("k", "x".repeat(1_000)));
  }
}
