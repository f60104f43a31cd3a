package dev.rota.crash.extremes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.cli.RotaCommand;
import dev.rota.crash.Alone;
import dev.rota.crash.CrashRun;
import dev.rota.crash.CrashTest;
import dev.rota.crash.server.ControlledServer;
import dev.rota.metering.Usage;
import dev.rota.metering.UsageVerification;
import dev.rota.processes.JavaProcess;
import dev.rota.testing.Await;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Compares the usage with the history after workers and daemons were killed many times. */
@Alone
@CrashTest
class UsageUnderKillsTest {

  private static final int KILLS =
      Integer.getInteger("rota.usage.kills", CrashRun.size(100, 1_000));
  private static final int TENANTS = 6;
  private static final String LEASE = "2000";
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final Instant FOREVER = Instant.parse("9999-01-01T00:00:00Z");

  private final List<JavaProcess> workers = new ArrayList<>();
  private final List<JavaProcess> daemons = new ArrayList<>();
  private final Random random = new Random(CrashRun.seed());

  @Test
  void eachBatchIsInTheUsageOnce() throws Exception {
    List<String> names = IntStream.range(0, TENANTS).mapToObj(i -> "tenant " + i).toList();
    try (ControlledServer server = ControlledServer.start(18);
        Rota rota = Rota.connect(server.jdbcUrl())) {
      rota.admin().migrate();
      List<Tenant> tenants = rota.tenants().registerAll(names);
      try {
        for (int i = 0; i < 2; i++) {
          workers.add(JavaProcess.start(MeteredWorker.class, server.jdbcUrl(), LEASE));
          daemons.add(JavaProcess.start(MeteringDaemon.class, server.jdbcUrl()));
        }
        Feed feed = Feed.start(server.jdbcUrl(), names, 20, Duration.ofMillis(250));
        try (feed) {
          kill(server);
        }
        Attempts.awaitRest(tenants, PATIENCE);
        judge(server, rota, feed);
      } finally {
        for (JavaProcess process : workers) {
          process.close();
        }
        for (JavaProcess process : daemons) {
          process.close();
        }
      }
    }
  }

  /** Kills in turns, each time another one of the two after tasks have run. */
  private void kill(ControlledServer server) throws Exception {
    for (int kills = 0; kills < KILLS; kills++) {
      awaitMoreTasks(server);
      boolean worker = kills % 2 == 0;
      List<JavaProcess> processes = worker ? workers : daemons;
      JavaProcess victim = processes.remove(random.nextInt(processes.size()));
      assertThat(victim.isAlive()).as(victim + " is alive before its kill").isTrue();
      victim.close();
      processes.add(
          worker
              ? JavaProcess.start(MeteredWorker.class, server.jdbcUrl(), LEASE)
              : JavaProcess.start(MeteringDaemon.class, server.jdbcUrl()));
    }
  }

  private static void awaitMoreTasks(ControlledServer server) throws Exception {
    String closed = "select count(*) from rota.task_batch where closed_at is not null";
    long before = server.number(closed);
    Await.until("more batches end", PATIENCE, () -> server.number(closed) > before + 5);
  }

  private static void judge(ControlledServer server, Rota rota, Feed feed) throws Exception {
    UsageVerification result = rota.metering().verify(Instant.EPOCH, FOREVER);
    List<Usage> usage = rota.metering().usage(Instant.EPOCH, FOREVER).toList();
    long metered =
        server.number("select count(*) from rota.ledger_segment where metered_at is not null");
    long attempts = usage.stream().mapToLong(hour -> hour.attempts().count()).sum();
    long lost = usage.stream().mapToLong(Usage::lost).sum();
    CrashRun.record(
        "usage-under-kills",
        Map.of(
            "kills", KILLS,
            "attempts", attempts,
            "lost", lost,
            "acknowledged", feed.acknowledged().size(),
            "segmentsMetered", metered,
            "hoursCompared", result.compared(),
            "differences", result.differences().size()));
    assertThat(result.differences()).isEmpty();
    assertThat(result.skipped()).isZero();
    assertThat(result.compared()).isGreaterThanOrEqualTo(TENANTS);
    assertThat(metered).as("segments of the ledger in the usage").isPositive();
    assertThat(attempts).isGreaterThanOrEqualTo(feed.acknowledged().size());
    assertThat(lost).as("lost attempts").isPositive();
    assertThat(command("usage", "--verify", "--jdbc-url", server.jdbcUrl())).contains("exact");
  }

  private static String command(String... args) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream stream = new PrintStream(out, true, StandardCharsets.UTF_8);
    assertThat(RotaCommand.run(args, stream, stream)).isZero();
    return out.toString(StandardCharsets.UTF_8);
  }
}
