package dev.rota.benchmarks;

import dev.rota.benchmarks.rivals.RivalWorkload;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
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
 * Measures how many tasks a second go in and out at once, while rings are switched.
 *
 * <p>Data: for a given time two producers store batches of 1,000 for random tenants. They pause
 * while more than 200,000 tasks wait for their end, so that no backlog grows. Consumers claim up to
 * 1,000 of a tenant. Rota runs with a leased worker and a rotation daemon that switches every ring
 * every five seconds; the floor has no rotation. The result is in the counters.
 *
 * <pre>
 * java -jar benchmarks/target/benchmarks.jar MixedBenchmark -p tenants=100,1000
 * java -jar benchmarks/target/benchmarks.jar rounds MixedBenchmark -p contender=rota,rotaMicrometer
 * </pre>
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 0)
@Measurement(iterations = 1)
@Fork(1)
public class MixedBenchmark {

  /** The implementation. */
  @Param({"rota", "floor"})
  String contender;

  /** The number of tenants. */
  @Param("1000")
  int tenants;

  /** Tasks in a batch. */
  @Param("1000")
  int batch;

  /** Bytes of a payload. */
  @Param("64")
  int payload;

  /** Threads that store tasks. */
  @Param("2")
  int threads;

  /** How many tasks may wait for their end before producers pause. */
  @Param("200000")
  int mostPending;

  /** The length of a shot. */
  @Param("60")
  int seconds;

  /** Seconds of the same load before the first shot. */
  @Param("20")
  int warmup;

  private Contest contest;

  /** The rates of a shot. */
  @State(Scope.Thread)
  @AuxCounters(AuxCounters.Type.EVENTS)
  public static class Flow {

    /** Tasks recorded as done. */
    public double tasksPerSecond;

    /** Tasks stored. */
    public double storedPerSecond;

    /** Tasks stored and not done at the end of the time. */
    public long backlog;

    /** Rings switched. */
    public long rotations;
  }

  /**
   * Opens the contender in a new database, and warms up.
   *
   * @throws Exception if that fails
   */
  @Setup(Level.Trial)
  public void open() throws Exception {
    contest = Contest.open(contender, new RivalWorkload(tenants, batch, payload), threads);
    if (warmup > 0) {
      contest.mix(batch, mostPending, warmup);
      contest.checkpoint();
    }
  }

  /**
   * Stores and runs tasks.
   *
   * @param flow receives the figures
   * @throws Exception if that fails
   */
  @Benchmark
  public void mix(Flow flow) throws Exception {
    MixedLoad.Figures figures = contest.mix(batch, mostPending, seconds);
    flow.tasksPerSecond = figures.donePerSecond();
    flow.storedPerSecond = figures.storedPerSecond();
    flow.backlog = figures.backlog();
    flow.rotations = figures.rotations();
  }

  /**
   * Counts the rows.
   *
   * @throws Exception if there are more or fewer than expected
   */
  @TearDown(Level.Invocation)
  public void verify() throws Exception {
    contest.verify();
  }

  /**
   * Drops the database.
   *
   * @throws Exception if that fails
   */
  @TearDown(Level.Trial)
  public void close() throws Exception {
    contest.close();
  }
}
