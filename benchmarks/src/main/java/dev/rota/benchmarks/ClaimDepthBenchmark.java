package dev.rota.benchmarks;

import dev.rota.Batch;
import dev.rota.NewTask;
import dev.rota.Tenant;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures whether the cost of a claim grows with the tasks claimed from the same slot before. It
 * runs with and without a transaction that keeps dead rows alive.
 *
 * <p>Data: one tenant without rotation, from whose slot 0, 1 million or 10 million tasks were
 * claimed and settled. A shot is a hundred claims of 1,000 tasks. With {@code held} another
 * connection has held a snapshot since before the first of them. Fresh means a new tenant for each
 * shot. The ratio in the table is cost to cost of fresh.
 *
 * <pre>java -jar benchmarks/target/benchmarks.jar ClaimDepthBenchmark</pre>
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 1)
@Measurement(iterations = 10)
@Fork(1)
public class ClaimDepthBenchmark {

  private static final int MOST_TOGETHER = 10_000;

  /** Tasks claimed from the slot before. */
  @Param({"0", "1000000", "10000000"})
  int consumed;

  /** Whether a snapshot is held. */
  @Param({"false", "true"})
  boolean held;

  /** Tasks in a claim. */
  @Param("1000")
  int batch;

  /** Bytes of a payload. */
  @Param("64")
  int payload;

  /** Tasks in a measurement. */
  @Param("100000")
  int tasks;

  /** Seconds of the same load before the first shot. */
  @Param("20")
  int warmup;

  private RotaTrial trial;
  private Tenant tenant;
  private Connection other;

  /**
   * Warms up, takes the snapshot, if any, and makes the earlier claims.
   *
   * @throws Exception if that fails
   */
  @Setup(Level.Trial)
  public void open() throws Exception {
    trial = RotaTrial.open();
    warmUp();
    other = DriverManager.getConnection(trial.url());
    if (held) {
      holdSnapshot();
    }
    tenant = trial.register(1).get(0);
    List<NewTask> chunk = RotaTrial.tasks(MOST_TOGETHER, payload);
    for (int left = consumed; left > 0; left -= MOST_TOGETHER) {
      int some = Math.min(left, MOST_TOGETHER);
      tenant.enqueueAll(chunk.subList(0, some));
      claim(some);
    }
    // Writes of earlier data are not part of a claim's cost.
    TrialDatabase.execute(trial.url(), "checkpoint");
  }

  /** Claims from tenants of its own, so that the slot of the measurement is new. */
  private void warmUp() throws Exception {
    WarmUp.repeat(
        warmup,
        () -> {
          tenant = trial.register(1).get(0);
          store();
        },
        this::claimAll);
  }

  private void holdSnapshot() throws SQLException {
    other.setAutoCommit(false);
    other.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
    try (Statement statement = other.createStatement()) {
      statement.execute("select count(*) from pg_class");
    }
  }

  private void claim(int most) {
    try (Batch claimed = tenant.claim(most)) {
      RotaTrial.require("settled", most, claimed.settle().settled());
    }
  }

  /** Enqueues the tasks of the measurement. */
  @Setup(Level.Invocation)
  public void enqueue() {
    if (consumed == 0) {
      tenant = trial.register(1).get(0);
    }
    store();
  }

  private void store() {
    List<NewTask> chunk = RotaTrial.tasks(batch, payload);
    for (int left = tasks; left > 0; left -= batch) {
      tenant.enqueueAll(chunk);
    }
  }

  /** Claims and settles in batches. */
  @Benchmark
  public void claimAll() {
    for (int left = tasks; left > 0; left -= batch) {
      claim(batch);
    }
  }

  /**
   * Drops the database.
   *
   * @throws Exception if that fails
   */
  @TearDown(Level.Trial)
  public void close() throws Exception {
    other.close();
    trial.close();
  }
}
