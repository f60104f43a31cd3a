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
 * Measures how many tasks a second can be claimed, passed to a handler that does nothing, and
 * settled. Also measures the bytes of write-ahead log of a task from its enqueue to its end.
 *
 * <p>Data: 200,000 tasks, spread evenly, are stored outside the measurement. The measurement goes
 * from the start of a leased worker to the moment at which all are settled. {@code batch} is the
 * most that one claim takes from one tenant. The {@code floor} claims from as many tenants in a
 * transaction as is fastest. Variants claim from one, twelve and fifty, and from fifty with a round
 * trip each.
 *
 * <pre>
 * java -jar benchmarks/target/benchmarks.jar LifecycleBenchmark
 * java -jar benchmarks/target/benchmarks.jar LifecycleBenchmark \
 *     -p batch=10 -p tenants=1000 -p contender=rota,floor,floorOneTenant,floorTwelveTenants
 * java -jar benchmarks/target/benchmarks.jar LifecycleBenchmark \
 *     -p contender=rota -p batch=10,100,1000 -p tenants=1,10,100,1000,10000
 * </pre>
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 1)
@Measurement(iterations = 5)
@Fork(1)
public class LifecycleBenchmark {

  private static final int FILLING_THREADS = 4;

  /** The implementation. */
  @Param({
    "rota",
    "floor",
    "floorOneTenant",
    "floorTwelveTenants",
    "floorFiftyTenants",
    "floorOneByOne",
    "original",
    "skipLocked",
    "skipLockedBatch",
    "dbScheduler"
  })
  String contender;

  /** The number of tenants. */
  @Param("100")
  int tenants;

  /** The most tasks that a claim takes from a tenant. */
  @Param("1000")
  int batch;

  /** Bytes of a payload. */
  @Param("64")
  int payload;

  /** Tasks in a measurement. */
  @Param("200000")
  int tasks;

  /** Seconds of the same load before the first shot. */
  @Param("60")
  int warmup;

  private Contest contest;
  private long walBefore;

  /** The server's write-ahead log. */
  @State(Scope.Thread)
  @AuxCounters(AuxCounters.Type.EVENTS)
  public static class Log {

    /** Bytes of write-ahead log for a task from its enqueue to its end. */
    public double walBytesPerTask;
  }

  /**
   * Opens the contender in a new database, and warms up.
   *
   * @throws Exception if that fails
   */
  @Setup(Level.Trial)
  public void open() throws Exception {
    contest = Contest.open(contender, new RivalWorkload(tenants, batch, payload), FILLING_THREADS);
    WarmUp.repeat(warmup, this::fill, () -> contest.drain(tasks));
    contest.checkpoint();
  }

  /**
   * Stores the tasks.
   *
   * @throws Exception if that fails
   */
  @Setup(Level.Invocation)
  public void fill() throws Exception {
    walBefore = contest.walBytes();
    contest.fill(tasks);
  }

  /**
   * Claims, runs and settles all tasks.
   *
   * @param log receives the bytes of write-ahead log
   * @throws Exception if that fails
   */
  @Benchmark
  public void drain(Log log) throws Exception {
    contest.drain(tasks);
    log.walBytesPerTask = (double) (contest.walBytes() - walBefore) / tasks;
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
