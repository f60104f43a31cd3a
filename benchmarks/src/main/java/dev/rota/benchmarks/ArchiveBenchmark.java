package dev.rota.benchmarks;

import dev.rota.archive.Archive;
import dev.rota.archive.ArchiveStatistics;
import dev.rota.benchmarks.rivals.Deadline;
import dev.rota.daemon.RotationDaemon;
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
 * Measures how many tasks a second the archiver of a database writes into a folder, and the size of
 * a task there.
 *
 * <p>Data: before each shot one tenant runs the tasks, each with random digits as its payload, in
 * batches of a thousand. Then its segment is sealed. A shot lasts from the start of a daemon until
 * the file was read back.
 *
 * <pre>java -jar benchmarks/target/benchmarks.jar ArchiveBenchmark</pre>
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 2)
@Measurement(iterations = 5)
@Fork(1)
public class ArchiveBenchmark {

  /** The part of its time in which the archiver reads. */
  @Param({"0.1", "1"})
  double share;

  /** Bytes of a payload. */
  @Param("64")
  int payload;

  /** Tasks in a segment. */
  @Param("500000")
  int tasks;

  private ArchiveTrial trial;

  /** The size of an archived task. */
  @State(Scope.Thread)
  @AuxCounters(AuxCounters.Type.EVENTS)
  public static class Size {

    /** Bytes of the file for each task. */
    public double bytesPerTask;

    /** Bytes of the segment in the database for each task. */
    public double bytesPerTaskBefore;
  }

  /**
   * Creates the tenant.
   *
   * @throws Exception if that fails
   */
  @Setup(Level.Trial)
  public void open() throws Exception {
    trial = ArchiveTrial.open(1);
  }

  /** Runs the tasks and seals the segment. */
  @Setup(Level.Invocation)
  public void run() {
    trial.run(trial.rota().tenants().get(0), tasks, payload);
    trial.seal();
  }

  /**
   * Archives the segment.
   *
   * @param size receives the sizes
   */
  @Benchmark
  public void archive(Size size) {
    try (Archive archive = trial.archive().share(share).build();
        RotationDaemon daemon = trial.daemon().archive(archive).start()) {
      Deadline.await("the archived segment", () -> daemon.archiveStatistics().tasks() >= tasks);
      ArchiveStatistics done = daemon.archiveStatistics();
      size.bytesPerTask = (double) done.bytes() / done.tasks();
    }
    size.bytesPerTaskBefore = (double) bytesBefore() / tasks;
  }

  private long bytesBefore() {
    int tenant = trial.rota().tenants().get(0).number();
    return trial.number(
        "select pg_relation_size('rota_%1$d.task_hist_%1$d_' || max(seq)) from rota.archive"
            .formatted(tenant));
  }

  /** Checks the number of archived tasks. */
  @TearDown(Level.Invocation)
  public void verify() {
    RotaTrial.require(
        "archived tasks",
        tasks,
        trial.number("select rows from rota.archive order by seq desc limit 1"));
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
