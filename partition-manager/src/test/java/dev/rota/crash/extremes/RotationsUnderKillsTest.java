package dev.rota.crash.extremes;

import static dev.rota.processes.Waiting.until;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.crash.CrashRun;
import dev.rota.crash.CrashTest;
import dev.rota.crash.server.ControlledServer;
import dev.rota.processes.JavaProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rings turn as fast as they can while workers, daemons, backends and the server are killed. */
@CrashTest
class RotationsUnderKillsTest {

  private static final int ROTATIONS = CrashRun.size(1_000, 10_000);
  private static final int ROTATIONS_BETWEEN_KILLS = 60;
  private static final int TENANTS = 16;
  private static final String LEASE_MILLIS = "2000";
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  /** What is killed. */
  enum Victim {
    WORKER,
    DAEMON,
    BACKEND,
    SERVER
  }

  @TempDir private Path directory;

  private final List<JavaProcess> workers = new ArrayList<>();
  private final List<JavaProcess> daemons = new ArrayList<>();
  private final List<Path> logs = new ArrayList<>();
  private final Map<Victim, Integer> kills = new EnumMap<>(Victim.class);
  private final Deque<Victim> next = new ArrayDeque<>();
  private final List<String> story = new ArrayList<>();
  private final Random random = new Random(CrashRun.seed());

  @Test
  void nothingIsLostOrDoneTwice() throws Exception {
    List<String> names = IntStream.range(0, TENANTS).mapToObj(i -> "tenant " + i).toList();
    try (ControlledServer server = ControlledServer.start(18);
        Rota rota = Rota.connect(server.jdbcUrl())) {
      rota.migrate();
      List<Tenant> tenants = rota.tenants().registerAll(names);
      try {
        for (int i = 0; i < 2; i++) {
          startWorker(server);
          startDaemon(server);
        }
        long rotations;
        Feed feed = Feed.start(server.jdbcUrl(), names, 40, Duration.ofMillis(250));
        try (feed) {
          rotations = rotateAndKill(server);
        }
        until("nothing is left", PATIENCE, System.nanoTime(), () -> Attempts.isAtRest(tenants));
        judge(Attempts.read(server, tenants), feed, rotations);
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

  private long rotateAndKill(ControlledServer server) throws Exception {
    long rotations = awaitRotations(server, ROTATIONS_BETWEEN_KILLS);
    while (rotations < ROTATIONS || kills.size() < Victim.values().length) {
      kill(server, nextVictim(), rotations);
      rotations = awaitRotations(server, rotations + ROTATIONS_BETWEEN_KILLS);
    }
    return rotations;
  }

  private long awaitRotations(ControlledServer server, long wanted) throws Exception {
    until(
        "rings have turned " + wanted + " times; " + story,
        PATIENCE,
        System.nanoTime(),
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

  private void kill(ControlledServer server, Victim victim, long rotations) throws Exception {
    story.add(victim + " at rotation " + rotations);
    kills.merge(victim, 1, Integer::sum);
    switch (victim) {
      case WORKER -> {
        workers.remove(random.nextInt(workers.size())).kill();
        startWorker(server);
      }
      case DAEMON -> {
        daemons.remove(random.nextInt(daemons.size())).kill();
        startDaemon(server);
      }
      case BACKEND -> {
        until("a backend is killed", () -> killBackend(server));
        server.awaitReady();
      }
      case SERVER -> {
        server.kill();
        server.restart();
      }
    }
  }

  private boolean killBackend(ControlledServer server) throws Exception {
    List<String> backends =
        server.texts(
            "select pid from pg_stat_activity where application_name = 'rota' order by pid");
    return !backends.isEmpty()
        && server.killBackend(Integer.parseInt(backends.get(random.nextInt(backends.size()))));
  }

  private void judge(Attempts attempts, Feed feed, long rotations) throws IOException {
    Map<Long, Integer> runs = runs();
    List<Long> unexplained =
        runs.entrySet().stream()
            .filter(each -> each.getValue() > attempts.of(each.getKey()).size())
            .map(Map.Entry::getKey)
            .toList();
    long repeated = runs.values().stream().filter(count -> count > 1).count();
    CrashRun.record(
        "rotations-under-kills",
        Map.of(
            "rotations", rotations,
            "kills", kills,
            "acknowledged", feed.acknowledged().size(),
            "tasks", attempts.tasks(),
            "enqueuesOfUnknownOutcome", feed.unknown(),
            "repeatedInsideALease", repeated,
            "unexplainedDuplicates", unexplained.size()));
    assertThat(unexplained).as("ran more often than they were claimed; " + story).isEmpty();
    attempts.assertDoneOnce(feed.acknowledged());
    assertThat(
            feed.acknowledged().stream().filter(id -> !runs.containsKey(id)).limit(20).toList())
        .as("acknowledged and never run, of " + feed.acknowledged().size() + "; " + story)
        .isEmpty();
    assertThat(rotations).as("rotations").isGreaterThanOrEqualTo(ROTATIONS);
    assertThat(kills).as("kills").containsOnlyKeys(Victim.values());
  }

  private Map<Long, Integer> runs() throws IOException {
    Map<Long, Integer> runs = new HashMap<>();
    for (Path log : logs) {
      for (String line : Files.readAllLines(log)) {
        runs.merge(Long.valueOf(line), 1, Integer::sum);
      }
    }
    return runs;
  }

  private void startWorker(ControlledServer server) throws IOException {
    Path log = directory.resolve("worker-" + logs.size());
    logs.add(log);
    workers.add(
        JavaProcess.launch(LoggingWorker.class, server.jdbcUrl(), LEASE_MILLIS, log.toString()));
  }

  private void startDaemon(ControlledServer server) throws IOException {
    daemons.add(JavaProcess.launch(QuickDaemon.class, server.jdbcUrl()));
  }

  private static long rotations(ControlledServer server) throws Exception {
    return server.number("select sum(rotations) from rota.tenant");
  }
}
