package dev.rota.benchmarks;

import dev.rota.benchmarks.rivals.RivalWorkload;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures how the rate of single enqueues grows with the threads that share commits.
 *
 * <p>Data: 1 to 128 threads store 12,800 tasks for 1,000 tenants in turns. {@code rotaBlocking}
 * waits for each task, {@code rota} for all of them at the end. {@code original} has a connection
 * for each thread and a transaction for each task.
 *
 * <pre>java -jar benchmarks/target/benchmarks.jar GroupCommitBenchmark</pre>
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 2)
@Measurement(iterations = 5)
@Fork(1)
public class GroupCommitBenchmark extends EnqueueContest {

  /** The implementation. */
  @Param({"rotaBlocking", "rota", "original"})
  String contender;

  /** The number of tenants. */
  @Param("1000")
  int tenants;

  /** Bytes of a payload. */
  @Param("64")
  int payload;

  /** Threads that store tasks. */
  @Param({"1", "8", "32", "128"})
  int threads;

  /** Tasks in a measurement. */
  @Param("12800")
  int tasks;

  @Override
  String contender() {
    return contender;
  }

  @Override
  RivalWorkload workload() {
    return new RivalWorkload(tenants, 1, payload);
  }

  @Override
  int threads() {
    return threads;
  }

  @Override
  int tasks() {
    return tasks;
  }

  /**
   * Stores all tasks.
   *
   * @throws Exception if that fails
   */
  @Benchmark
  public void enqueue() throws Exception {
    enqueueAll();
  }
}
