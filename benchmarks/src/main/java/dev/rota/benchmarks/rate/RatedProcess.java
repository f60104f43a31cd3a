package dev.rota.benchmarks.rate;

import dev.rota.Rota;
import dev.rota.Worker;
import dev.rota.internal.RotaBuilder;
import dev.rota.internal.db.Session.StatementObserver;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;

/** Runs a worker in a process of its own until its input ends, and logs when its tasks begin. */
final class RatedProcess {

  /** The variable of the environment with the database: it may contain a password. */
  static final String URL = "ROTA_BENCH_JDBC_URL";

  private static final String LEASE = "lease starts";
  private static final int HANDLERS = 8;

  private RatedProcess() {}

  /** Arguments: the schema, the kind, the log, when the trial began, and how long it is. */
  public static void main(String[] args) throws IOException {
    StartLog log =
        StartLog.open(
            Path.of(args[2]), Long.parseLong(args[3]), Duration.ofMillis(Long.parseLong(args[4])));
    Rota.Builder builder = Rota.builder(System.getenv(URL)).schema(args[0]);
    try (Rota rota = RotaBuilder.build(builder, new LeaseCounter(log));
        Worker worker =
            rota.worker().concurrency(HANDLERS).handle(args[1], task -> log.started()).start()) {
      System.in.transferTo(OutputStream.nullOutputStream());
    }
  }

  /** Counts the statements that lease starts. */
  private record LeaseCounter(StartLog log) implements StatementObserver {

    @Override
    public void before(String call) {
      if (call.equals(LEASE)) {
        log.sent();
      }
    }
  }
}
