package dev.rota.benchmarks;

import dev.rota.Rota;
import dev.rota.benchmarks.dashboard.Viewers;
import dev.rota.benchmarks.rivals.RivalWorkload;
import java.time.Duration;
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
 * Measures what people before the dashboard cost the throughput.
 *
 * <p>Data: the load of {@link MixedBenchmark}, by Rota. Viewers keep pages of a dashboard in the
 * same JVM open, which renew themselves as in a browser. They watch and look away by turns of two
 * seconds, so that both rates come from one process, one server and one minute. Whole runs of this
 * load differ by more than the viewers cost.
 *
 * <pre>java -jar benchmarks/target/benchmarks.jar ViewersBenchmark -f 5</pre>
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 0)
@Measurement(iterations = 1)
@Fork(1)
public class ViewersBenchmark {

  private static final int BATCH = 1_000;
  private static final int PAYLOAD = 64;
  private static final int PRODUCERS = 2;
  private static final int MOST_PENDING = 200_000;
  private static final String WATCHED_TENANT = "tenant-0";

  /** The number of tenants. */
  @Param("1000")
  int tenants;

  /** How many people watch. */
  @Param("20")
  int viewers;

  /** The length of a shot. */
  @Param("240")
  int seconds;

  /** How many turns there are of each kind. */
  @Param("120")
  int turns;

  /**
   * Seconds of the same load before the first shot, under the eyes of all viewers. Half as long
   * before, their pages are asked for as fast as they come.
   */
  @Param("120")
  int warmup;

  private Contest contest;
  private Viewers watching;

  /** The rates of a shot. */
  @State(Scope.Thread)
  @AuxCounters(AuxCounters.Type.EVENTS)
  public static class Flow {

    /** Tasks recorded as done, watched or not. */
    public double tasksPerSecond;

    /** Tasks recorded as done while viewers watched. */
    public double watchedPerSecond;

    /** Tasks recorded as done while none watched. */
    public double unwatchedPerSecond;

    /** The rate with viewers, as a share of the one without. */
    public double shareKept;

    /** Pages that were renewed. */
    public long pages;
  }

  /**
   * Opens a database and a dashboard, and warms up.
   *
   * @throws Exception if that fails
   */
  @Setup(Level.Trial)
  public void open() throws Exception {
    contest = Contest.open("rota", new RivalWorkload(tenants, BATCH, PAYLOAD), PRODUCERS);
    watching = Viewers.of(Rota.builder(contest.url()), WATCHED_TENANT, viewers);
    if (warmup > 0) {
      watching.warmUp(Duration.ofSeconds(warmup).dividedBy(2));
      contest.mix(BATCH, MOST_PENDING, warmup);
      contest.checkpoint();
    }
  }

  /**
   * Stores and runs tasks, watched by turns.
   *
   * @param flow receives the figures
   * @throws Exception if that fails
   */
  @Benchmark
  public void mix(Flow flow) throws Exception {
    long before = watching.answers();
    Duration window = Duration.ofSeconds(seconds).dividedBy(2L * turns);
    Contest.Beside<Alternation> beside =
        consumption -> new Alternation(consumption, watching::watch, window, turns);
    Contest.Mixed<Alternation> mixed = contest.mixBeside(BATCH, MOST_PENDING, seconds, beside);
    Alternation rates = mixed.beside();
    flow.tasksPerSecond = mixed.figures().donePerSecond();
    flow.watchedPerSecond = rates.withPerSecond();
    flow.unwatchedPerSecond = rates.withoutPerSecond();
    flow.shareKept = flow.watchedPerSecond / flow.unwatchedPerSecond;
    flow.pages = watching.answers() - before;
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
   * Ends the viewers, and drops the database.
   *
   * @throws Exception if that fails, or if a page did not answer
   */
  @TearDown(Level.Trial)
  public void close() throws Exception {
    watching.close();
    contest.close();
  }
}
