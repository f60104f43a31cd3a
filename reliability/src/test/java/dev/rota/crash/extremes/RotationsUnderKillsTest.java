package dev.rota.crash.extremes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.crash.Alone;
import dev.rota.crash.CrashRun;
import dev.rota.crash.CrashTest;
import dev.rota.crash.LogDirectory;
import dev.rota.crash.accounts.Disturbances;
import dev.rota.crash.server.ControlledServer;
import dev.rota.processes.JavaProcess;
import dev.rota.testing.Await;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Rotates rings as fast as possible while workers, daemons, backends and the server are killed. */
@Alone
@CrashTest
class RotationsUnderKillsTest {

  private static final int ROTATIONS = CrashRun.size(1_000, 10_000);
  private static final int ROTATIONS_BETWEEN_KILLS = 60;
  private static final int TENANTS = 16;
  private static final Duration LEASE = Duration.ofSeconds(2);
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final int SHOWN = 20;

  /** What is killed. */
  enum Victim {
    WORKER,
    DAEMON,
    BACKEND,
    SERVER
  }

  private final Map<String, JavaProcess> workers = new TreeMap<>();
  private final List<JavaProcess> daemons = new ArrayList<>();
  private final Map<String, Path> logs = new LinkedHashMap<>();
  private final Disturbances disturbances = new Disturbances(LEASE);
  private final Map<Victim, Integer> kills = new EnumMap<>(Victim.class);
  private final Deque<Victim> next = new ArrayDeque<>();
  private final List<String> story = new ArrayList<>();
  private final Random random = new Random(CrashRun.seed());

  @Test
  void nothingIsLostOrDoneTwice() throws Exception {
    LogDirectory.with("rotations-under-kills", this::rotateAndJudge);
  }

  private void rotateAndJudge(Path directory) throws Exception {
    List<String> names = IntStream.range(0, TENANTS).mapToObj(i -> "tenant " + i).toList();
    try (ControlledServer server = ControlledServer.start(18);
        Rota rota = Rota.connect(server.jdbcUrl())) {
      rota.admin().migrate();
      List<Tenant> tenants = rota.tenants().registerAll(names);
      try {
        for (int i = 0; i < 2; i++) {
          startWorker(server, directory);
          startDaemon(server);
        }
        long rotations;
        Feed feed = Feed.start(server.jdbcUrl(), names, 40, Duration.ofMillis(250));
        try (feed) {
          rotations = rotateAndKill(server, directory);
        }
        Attempts.awaitRest(tenants, PATIENCE);
        judge(Attempts.read(server, tenants), feed, rotations);
      } finally {
        closeProcesses();
      }
    }
  }

  private void closeProcesses() throws InterruptedException {
    for (JavaProcess process : workers.values()) {
      process.close();
    }
    for (JavaProcess process : daemons) {
      process.close();
    }
  }

  private long rotateAndKill(ControlledServer server, Path directory) throws Exception {
    long rotations = awaitRotations(server, ROTATIONS_BETWEEN_KILLS);
    while (rotations < ROTATIONS || kills.size() < Victim.values().length) {
      Victim victim = nextVictim();
      story.add(victim + " at rotation " + rotations);
      kill(server, victim, directory);
      kills.merge(victim, 1, Integer::sum);
      rotations = awaitRotations(server, rotations + ROTATIONS_BETWEEN_KILLS);
    }
    return rotations;
  }

  private long awaitRotations(ControlledServer server, long wanted) throws Exception {
    Await.until(
        "rings have turned " + wanted + " times; " + story,
        PATIENCE,
        () -> rotations(server) >= wanted);
    return rotations(server);
  }

  /** In an order by chance, but none comes twice before each has come once. */
  private Victim nextVictim() {
    if (next.isEmpty()) {
      List<Victim> all = Arrays.asList(Victim.values());
      Collections.shuffle(all, random);
      next.addAll(all);
    }
    return next.removeFirst();
  }

  private void kill(ControlledServer server, Victim victim, Path directory) throws Exception {
    switch (victim) {
      case WORKER -> {
        List<String> names = List.copyOf(workers.keySet());
        killWorker(names.get(random.nextInt(names.size())));
        startWorker(server, directory);
      }
      case DAEMON -> {
        kill(daemons.remove(random.nextInt(daemons.size())));
        startDaemon(server);
      }
      case BACKEND ->
          disturb(
              victim,
              Disturbances.ALL,
              () -> {
                Await.until("a backend is killed", () -> killBackend(server));
                server.awaitReady();
              });
      case SERVER ->
          disturb(
              victim,
              Disturbances.ALL,
              () -> {
                server.kill();
                server.restart();
              });
    }
  }

  private void killWorker(String name) throws Exception {
    JavaProcess worker = Objects.requireNonNull(workers.remove(name));
    disturb(Victim.WORKER, name, () -> kill(worker));
  }

  /** What is dead already cannot be killed: it would count for nothing. */
  private static void kill(JavaProcess process) throws InterruptedException {
    assertThat(process.isAlive()).as(process + " is alive before its kill").isTrue();
    process.close();
  }

  private interface Act {
    void run() throws Exception;
  }

  private void disturb(Victim cause, String victim, Act act) throws Exception {
    long from = System.currentTimeMillis();
    act.run();
    disturbances.add(cause.name(), victim, from, System.currentTimeMillis());
  }

  private boolean killBackend(ControlledServer server) throws Exception {
    List<String> backends =
        server.texts(
            "select pid from pg_stat_activity where application_name = 'rota' order by pid");
    return !backends.isEmpty()
        && server.killBackend(Integer.parseInt(backends.get(random.nextInt(backends.size()))));
  }

  private void judge(Attempts attempts, Feed feed, long rotations) throws IOException {
    Runs runs = new Runs(disturbances);
    for (Map.Entry<String, Path> log : logs.entrySet()) {
      runs.read(log.getKey(), log.getValue());
    }
    List<String> unexplained = runs.unexplained(attempts);
    CrashRun.record(
        "rotations-under-kills",
        Map.of(
            "rotations", rotations,
            "kills", kills,
            "acknowledged", feed.acknowledged().size(),
            "tasks", attempts.tasks(),
            "enqueuesOfUnknownOutcome", feed.unknown(),
            "repeatedInsideALease", runs.repeated(),
            "unexplainedDuplicates", unexplained.size()));
    assertThat(unexplained.stream().limit(SHOWN).toList())
        .as("ran again though no lease had ended, of " + unexplained.size() + "; " + story)
        .isEmpty();
    attempts.assertDoneOnce(feed.acknowledged());
    assertThat(feed.acknowledged().stream().filter(id -> !runs.has(id)).limit(SHOWN).toList())
        .as("acknowledged and never run, of " + feed.acknowledged().size() + "; " + story)
        .isEmpty();
    assertThat(rotations).as("rotations").isGreaterThanOrEqualTo(ROTATIONS);
    assertThat(kills).as("kills").containsOnlyKeys(Victim.values());
  }

  /** It has started when this returns: a process that is killed in between has nothing to lose. */
  private void startWorker(ControlledServer server, Path directory) throws Exception {
    String name = "worker-" + (logs.size() + 1);
    Path log = directory.resolve(name);
    logs.put(name, log);
    String lease = Long.toString(LEASE.toMillis());
    workers.put(
        name, JavaProcess.start(LoggingWorker.class, server.jdbcUrl(), lease, log.toString()));
  }

  private void startDaemon(ControlledServer server) throws Exception {
    daemons.add(JavaProcess.start(QuickDaemon.class, server.jdbcUrl()));
  }

  private static long rotations(ControlledServer server) throws Exception {
    return server.number("select sum(rotations) from rota.tenant");
  }
}
