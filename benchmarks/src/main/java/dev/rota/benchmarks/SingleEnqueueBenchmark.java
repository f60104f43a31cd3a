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
 * Measures how many tasks a second can be stored one by one by many threads for many tenants.
 *
 * <p>Data: 32 threads store 64,000 tasks for 1,000 tenants in turns. {@code rota} keeps all its
 * futures outstanding and waits for them at the end; {@code rotaBlocking} waits for each task. So
 * do the rivals, which use a connection for each thread and a transaction for each task.
 *
 * <pre>java -jar benchmarks/target/benchmarks.jar SingleEnqueueBenchmark</pre>
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 2)
@Measurement(iterations = 10)
@Fork(1)
public class SingleEnqueueBenchmark extends EnqueueContest {

  /** The implementation. */
  @Param({"rota", "rotaBlocking", "original", "skipLocked", "dbScheduler"})
  String contender;

  /** The number of tenants. */
  @Param("1000")
  int tenants;

  /** Bytes of a payload. */
  @Param("64")
  int payload;

  /** Threads that store tasks. */
  @Param("32")
  int threads;

  /** Tasks in a measurement. */
  @Param("64000")
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
