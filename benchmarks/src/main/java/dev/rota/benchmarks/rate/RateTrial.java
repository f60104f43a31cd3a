package dev.rota.benchmarks.rate;

import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.cli.database.CommandDatabase;
import dev.rota.limits.Limits;
import dev.rota.limits.Scope;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Lets processes begin tasks at a rate while some of them are killed. Used once, by one thread. */
final class RateTrial {

  private static final int BULK = 10_000;

  /** What is held by killed processes, or begins after the end. */
  private static final double RESERVE = 1.3;

  private static final int LEAST_RESERVE = 1_000;
  private static final String HEAP = "-Xmx192m";

  private final CommandDatabase database;
  private final Rota rota;
  private final RateSettings settings;
  private final String kind = "rate." + UUID.randomUUID();
  private final Path folder;
  private final Deque<Process> running = new ArrayDeque<>();
  private final List<StartLog> logs = new ArrayList<>();
  private long beganAt;
  private int kills;

  private RateTrial(CommandDatabase database, Rota rota, RateSettings settings, Path folder) {
    this.database = database;
    this.rota = rota;
    this.settings = settings;
    this.folder = folder;
  }

  /** Runs a trial. */
  static RateReport.Round run(CommandDatabase database, Rota rota, RateSettings settings)
      throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("rota-rate-");
    try {
      return new RateTrial(database, rota, settings, folder).run();
    } finally {
      try (Stream<Path> files = Files.list(folder)) {
        for (Path file : files.toList()) {
          Files.delete(file);
        }
      }
      Files.delete(folder);
    }
  }

  private RateReport.Round run() throws IOException, InterruptedException {
    Tenant tenant = rota.tenants().register(kind);
    rota.controls().changeLimits(Scope.kind(kind), limits -> limits.rate(settings.rate()));
    fill(tenant);
    try {
      for (int i = 0; i < settings.processes(); i++) {
        start();
      }
      // Time counts from when all are there: on a busy machine a process starts for many seconds.
      for (Process process : running) {
        awaitReady(process);
      }
      beganAt = System.currentTimeMillis();
      for (Process process : running) {
        begin(process);
      }
      runUntil(beganAt + settings.all().toMillis());
      return RateReport.Round.of(settings, logs, kills);
    } finally {
      running.forEach(RateTrial::kill);
      rota.controls().changeLimits(Scope.kind(kind), Limits::rateByDefault);
    }
  }

  private void fill(Tenant tenant) {
    double needed = RESERVE * settings.perSecond() * settings.all().toMillis() / 1_000;
    for (long left = LEAST_RESERVE + (long) needed; left > 0; left -= BULK) {
      tenant.enqueueAll(Collections.nCopies((int) Math.min(BULK, left), NewTask.of(kind, "{}")));
    }
  }

  private void runUntil(long end) throws IOException, InterruptedException {
    long pause = settings.killEvery().toMillis();
    long next = beganAt + settings.warmup().toMillis() + pause;
    while (pause > 0 && next < end) {
      sleepUntil(next);
      kill(running.remove());
      kills++;
      begin(start());
      next += pause;
    }
    sleepUntil(end);
  }

  private static void sleepUntil(long time) throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(Math.max(0, time - System.currentTimeMillis()));
  }

  /** Starts a process, which does nothing before it is told when the trial began. */
  private Process start() throws IOException {
    ProcessBuilder process =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            HEAP,
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            RatedProcess.class.getName(),
            database.schema(),
            kind,
            Long.toString(settings.all().toMillis()));
    process.environment().put(RatedProcess.URL, database.jdbcUrl());
    Process started = process.redirectError(ProcessBuilder.Redirect.INHERIT).start();
    running.add(started);
    return started;
  }

  private static void awaitReady(Process process) throws IOException {
    if (process.inputReader().readLine() == null) {
      throw new IOException(
          "a process of the trial ended before it was ready; see its error above");
    }
  }

  /** Tells a process when the trial began, and where to log what it does. */
  private void begin(Process process) throws IOException {
    Path file = folder.resolve("starts-" + logs.size());
    logs.add(StartLog.open(file, beganAt, settings.all()));
    BufferedWriter input = process.outputWriter();
    input.write(beganAt + " " + file + System.lineSeparator());
    input.flush();
  }

  private static void kill(Process process) {
    process.destroyForcibly().onExit().join();
  }
}
