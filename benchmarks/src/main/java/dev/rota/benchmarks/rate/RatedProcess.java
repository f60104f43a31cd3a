package dev.rota.benchmarks.rate;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.rota.Rota;
import dev.rota.Worker;
import dev.rota.internal.RotaBuilder;
import dev.rota.internal.db.Session.StatementObserver;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Runs a worker in a process of its own until its input ends, and logs when its tasks begin. */
final class RatedProcess {

  /** The variable of the environment with the database: it may contain a password. */
  static final String URL = "ROTA_BENCH_JDBC_URL";

  private static final String LEASE = "lease starts";
  private static final int HANDLERS = 8;

  private RatedProcess() {}

  /**
   * Arguments: the schema, the kind, and how long the trial is. It prints a line when it is ready,
   * then reads when the trial began, and the path of its log.
   */
  public static void main(String[] args) throws IOException {
    Rota.Builder builder = Rota.builder(System.getenv(URL)).schema(args[0]);
    AtomicReference<@Nullable StartLog> log = new AtomicReference<>();
    try (Rota rota = RotaBuilder.build(builder, new LeaseCounter(log))) {
      int unused = rota.tenants().list().size();
      System.out.println("ready");
      BufferedReader input = new BufferedReader(new InputStreamReader(System.in, UTF_8));
      String trial = input.readLine();
      if (trial != null) {
        StartLog own = open(trial.split(" ", 2), args[2]);
        log.set(own);
        work(rota, args[1], own, input);
      }
    }
  }

  private static void work(Rota rota, String kind, StartLog log, BufferedReader input)
      throws IOException {
    try (Worker worker =
        rota.worker().concurrency(HANDLERS).handle(kind, task -> log.started()).start()) {
      long unused = input.transferTo(Writer.nullWriter());
    }
  }

  private static StartLog open(String[] trial, String millis) {
    return StartLog.open(
        Path.of(trial[1]), Long.parseLong(trial[0]), Duration.ofMillis(Long.parseLong(millis)));
  }

  /** Counts the statements that lease starts. */
  private record LeaseCounter(AtomicReference<@Nullable StartLog> log)
      implements StatementObserver {

    @Override
    public void before(String call) {
      StartLog own = log.get();
      if (own != null && call.equals(LEASE)) {
        own.sent();
      }
    }
  }
}
