package dev.rota.crash.extremes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.crash.Alone;
import dev.rota.crash.CrashRun;
import dev.rota.crash.CrashTest;
import dev.rota.crash.server.ControlledServer;
import dev.rota.testing.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Measures how soon a worker continues after its server was killed and restarted. */
@Alone
@CrashTest
class FirstClaimTest {

  private static final int KILLS = CrashRun.size(5, 25);
  private static final long BOUND_MILLIS = 2_000;

  /** How long the server is away. A worker with growing pauses shows them after the long ones. */
  private static final List<Duration> OUTAGES =
      List.of(Duration.ofSeconds(6), Duration.ofMillis(100), Duration.ofSeconds(8));

  /** More than a worker can do between two kills: there is always something to claim. */
  private static final int BACKLOG = KILLS * 5_000;

  /** Two threads do about a thousand tasks a second each; ten times as long is patience. */
  private static final Duration PATIENCE = Duration.ofMillis(60_000 + 5L * BACKLOG);

  @ParameterizedTest
  @ValueSource(ints = {15, 18})
  void tasksAreClaimedSoonAfterTheServerIsBack(int major) throws Exception {
    List<Long> millis = new ArrayList<>();
    try (ControlledServer server = ControlledServer.start(major);
        Rota rota = Rota.connect(server.jdbcUrl())) {
      rota.admin().migrate();
      Tenant acme = rota.tenants().register("acme");
      List<Long> ids = new ArrayList<>(acme.enqueueAll(backlog()));
      try (Worker worker = worker(rota);
          Feed feed = Feed.start(server.jdbcUrl(), List.of("acme"), 1, Duration.ofMillis(1))) {
        for (int kill = 0; kill < KILLS; kill++) {
          long before = worker.statistics().done();
          Await.until("the worker works", () -> worker.statistics().done() > before + 100);
          server.kill();
          LockSupport.parkNanos(OUTAGES.get(kill % OUTAGES.size()).toNanos());
          server.restart();
          millis.add(untilClaimed(server));
        }
        feed.stop();
        ids.addAll(feed.acknowledged());
        assertThat(feed.refused() + feed.unknown()).as("enqueues that failed").isPositive();
        Attempts.awaitRest(List.of(acme), PATIENCE);
      }
      Attempts.read(server, List.of(acme)).assertDoneOnce(ids);
    }
    CrashRun.record("first-claim-" + major, Figures.ofMillis(millis));
    assertThat(Figures.most(millis)).as("the longest of " + millis).isLessThan(BOUND_MILLIS);
  }

  /** From the first connection that the server accepts to the first claim, by its clock. */
  private static long untilClaimed(ControlledServer server) throws Exception {
    String readyAt = server.texts("select clock_timestamp()").get(0);
    String claims = " from rota.task_batch where claimed_at >= '" + readyAt + "'";
    Await.until("something is claimed", () -> server.number("select count(*)" + claims) > 0);
    return server.number(
        "select ceil(extract(epoch from min(claimed_at) - '%s') * 1000)%s"
            .formatted(readyAt, claims));
  }

  private static Worker worker(Rota rota) {
    return rota.worker()
        .handle("k", task -> LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1)))
        .concurrency(2)
        .batchSize(50)
        .start();
  }

  private static List<NewTask> backlog() {
    return Collections.nCopies(BACKLOG, NewTask.of("k", "{}"));
  }
}
