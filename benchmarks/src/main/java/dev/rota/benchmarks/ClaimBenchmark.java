package dev.rota.benchmarks;

import dev.rota.Batch;
import dev.rota.NewTask;
import dev.rota.Tenant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
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
 * Measures how long it takes to claim one batch of one tenant by the low-level pair.
 *
 * <p>Data: one tenant. Before each shot exactly one batch is enqueued, outside the measurement, and
 * the benchmark fails unless the claim returns all of it. It is settled outside the measurement.
 *
 * <pre>java -jar benchmarks/target/benchmarks.jar ClaimBenchmark</pre>
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 1)
@Measurement(iterations = 500)
@Fork(1)
public class ClaimBenchmark {

  /** Tasks in a batch. */
  @Param({"1", "10", "100", "1000"})
  int batch;

  /** Bytes of a payload. */
  @Param("64")
  int payload;

  /** Seconds of the same load before the first shot. */
  @Param("20")
  int warmup;

  private RotaTrial trial;
  private Tenant tenant;
  private List<NewTask> tasks;
  private @Nullable Batch claimed;

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
    WarmUp.repeat(warmup, this::enqueue, this::claimAndSettle);
  }

  private void claimAndSettle() {
    claim();
    settle();
  }

  /** Puts one batch into the ring. */
  @Setup(Level.Invocation)
  public void enqueue() {
    tenant.enqueueAll(tasks);
  }

  /** Claims the batch. */
  @Benchmark
  public void claim() {
    claimed = tenant.claim(batch);
  }

  /** Counts the tasks and settles them. */
  @TearDown(Level.Invocation)
  public void settle() {
    Batch whole = Objects.requireNonNull(claimed, "nothing was claimed");
    RotaTrial.require("claimed", batch, whole.tasks().size());
    RotaTrial.require("settled", batch, whole.settle().settled());
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
