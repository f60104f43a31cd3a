package dev.rota.benchmarks;

import dev.rota.Batch;
import dev.rota.Batch.SettleResult;
import dev.rota.NewTask;
import dev.rota.Tenant;
import java.time.Duration;
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
 * Measures how long it takes to settle one batch, by the share of its failed tasks.
 *
 * <p>Data: one tenant. Before each shot one batch is enqueued and claimed, and the given share of
 * its tasks is reported as failed, outside the measurement. A batch without failures is settled by
 * one update of its row in the ledger. Each failed task is written into history and into the wait
 * table.
 *
 * <pre>java -jar benchmarks/target/benchmarks.jar SettleBenchmark</pre>
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 1)
@Measurement(iterations = 200)
@Fork(1)
public class SettleBenchmark {

  private static final Duration PAUSE = Duration.ofDays(1);

  /** Tasks in a batch. */
  @Param({"100", "1000"})
  int batch;

  /** Bytes of a payload. */
  @Param("64")
  int payload;

  /** How many tasks of a hundred have failed. */
  @Param({"0", "1", "100"})
  int failedPercent;

  /** Seconds of the same load before the first shot. */
  @Param("20")
  int warmup;

  private RotaTrial trial;
  private Tenant tenant;
  private List<NewTask> tasks;
  private Batch claimed;
  private SettleResult result = new SettleResult(0, 0);

  /**
   * Creates the tenant, and warms up.
   *
   * @throws Exception if that fails
   */
  @Setup(Level.Trial)
  public void open() throws Exception {
    trial = RotaTrial.open();
    tenant = trial.register(1).get(0);
    tasks = RotaTrial.tasks(batch, payload);
    WarmUp.repeat(warmup, this::claim, this::settle);
  }

  /** Claims a batch and lets some tasks fail. */
  @Setup(Level.Invocation)
  public void claim() {
    tenant.enqueueAll(tasks);
    claimed = tenant.claim(batch);
    claimed
        .tasks()
        .subList(0, batch * failedPercent / 100)
        .forEach(task -> claimed.fail(task, "failed on purpose", PAUSE));
  }

  /** Settles the batch. */
  @Benchmark
  public void settle() {
    result = claimed.settle();
  }

  /** Counts the outcomes. */
  @TearDown(Level.Invocation)
  public void verify() {
    RotaTrial.require("settled", batch, result.settled());
    RotaTrial.require("lost", 0, result.lost());
  }

  /**
   * Drops the database.
   *
   * @throws Exception if that fails
   */
  @TearDown(Level.Trial)
  public void close() throws Exception {
    trial.close();
  }
}
