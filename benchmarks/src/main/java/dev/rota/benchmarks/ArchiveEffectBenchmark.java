package dev.rota.benchmarks;

import dev.rota.NewTask;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.archive.Archive;
import dev.rota.benchmarks.rivals.Deadline;
import dev.rota.daemon.RotationDaemon;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
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
 * Measures how much slower tasks are stored and run beside an active archiver.
 *
 * <p>Data: one producer keeps a bounded number of tasks pending for a worker. Before each shot
 * twenty further tenants get segments that are more than an archiver can process in that time. The
 * contenders are a daemon without an archive, and with one that reads the ordinary part of its
 * time, and all of it.
 *
 * <pre>java -jar benchmarks/target/benchmarks.jar ArchiveEffectBenchmark</pre>
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 1)
@Measurement(iterations = 3)
@Fork(1)
public class ArchiveEffectBenchmark {

  private static final int MOST_PENDING = 50_000;
  private static final long PAUSE_NANOS = 200_000;
  private static final int COLD_TENANTS = 20;
  private static final long SEGMENT_BYTES = 8L << 20;

  private static final String FILL =
      """
      insert into rota_%1$d.task_hist_%1$d_%2$d (id, batch_id, state, attempt, kind, payload, created_at)
      select n, 0, 0, 1, 'cold', left(md5(n::text) || md5((-n)::text), %3$d), now()
        from generate_series(1, %4$d) n""";

  /** The archiver beside the load. */
  @Param({"none", "archiver", "archiverWithoutRest"})
  String contender;

  /** The number of tenants that run tasks. */
  @Param("20")
  int tenants;

  /** Tasks in a transaction of the producer. */
  @Param("1000")
  int batch;

  /** Bytes of a payload. */
  @Param("64")
  int payload;

  /** Tasks in the segments that are archived. */
  @Param("2000000")
  int tasks;

  /** The length of a shot. */
  @Param("10")
  int seconds;

  private final AtomicLong stored = new AtomicLong();
  private final AtomicLong done = new AtomicLong();
  private ArchiveTrial trial;
  private List<Tenant> cold;

  /** The rates of a shot. */
  @State(Scope.Thread)
  @AuxCounters(AuxCounters.Type.EVENTS)
  public static class Flow {

    /** Tasks stored and run. */
    public double tasksPerSecond;

    /** Tasks archived meanwhile. */
    public double archivedPerSecond;
  }

  /**
   * Creates the tenants.
   *
   * @throws Exception if that fails
   */
  @Setup(Level.Trial)
  public void open() throws Exception {
    trial = ArchiveTrial.open(tenants);
    cold = trial.rota().register(COLD_TENANTS);
    trial.rota().makeTables(cold);
    trial
        .rota()
        .tenants()
        .forEach(each -> each.history().changeRetention(policy -> policy.archive(false)));
  }

  /**
   * Fills the segments for the archiver.
   *
   * @throws Exception if that fails
   */
  @Setup(Level.Invocation)
  public void fill() throws Exception {
    for (Tenant tenant : cold) {
      int number = tenant.number();
      long segment =
          trial.number("select current_segment from rota.tenant where number = " + number);
      TrialDatabase.execute(
          trial.rota().url(), FILL.formatted(number, segment, payload, tasks / COLD_TENANTS));
    }
  }

  /**
   * Stores and runs tasks for the given time.
   *
   * @param flow receives the figures
   */
  @Benchmark
  public void run(Flow flow) {
    try (Archive archive = archive();
        RotationDaemon daemon = daemon(archive);
        Worker worker = worker()) {
      long startedAt = System.nanoTime();
      long before = done.get();
      produce(startedAt + TimeUnit.SECONDS.toNanos(seconds));
      double passed = (System.nanoTime() - startedAt) / (double) TimeUnit.SECONDS.toNanos(1);
      flow.tasksPerSecond = (done.get() - before) / passed;
      flow.archivedPerSecond = daemon.archiveStatistics().tasks() / passed;
      Deadline.await("the end of all tasks", () -> done.get() == stored.get());
    }
  }

  private Archive archive() {
    Archive.Builder builder = trial.archive();
    return (contender.equals("archiverWithoutRest") ? builder.share(1) : builder).build();
  }

  private RotationDaemon daemon(Archive archive) {
    RotationDaemon.Builder daemon =
        trial.daemon().segmentBytes(SEGMENT_BYTES).keepHistory(Duration.ofSeconds(5));
    return (contender.equals("none") ? daemon : daemon.archive(archive)).start();
  }

  private Worker worker() {
    return trial
        .rota()
        .rota()
        .worker()
        .handleBatch(RotaTrial.KIND, these -> done.addAndGet(these.size()))
        .start();
  }

  private void produce(long deadline) {
    List<NewTask> together = RotaTrial.tasks(batch, payload);
    for (int i = 0; System.nanoTime() < deadline; i++) {
      while (stored.get() - done.get() > MOST_PENDING) {
        LockSupport.parkNanos(PAUSE_NANOS);
      }
      trial.rota().tenants().get(i % tenants).enqueueAll(together);
      stored.addAndGet(batch);
    }
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
