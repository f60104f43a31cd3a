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
 * Measures how many tasks a second can be stored in batches, one batch of one tenant a transaction.
 *
 * <p>Data: four threads, each with its connection, store 200,000 tasks in batches of 1,000, to 100
 * tenants in turns. {@code copy} and {@code values} are the floor with COPY and with rewritten
 * multi-row VALUES in place of {@code insert ... select from unnest}.
 *
 * <pre>java -jar benchmarks/target/benchmarks.jar BulkEnqueueBenchmark -p payload=64,1024</pre>
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 2)
@Measurement(iterations = 10)
@Fork(1)
public class BulkEnqueueBenchmark extends EnqueueContest {

  /** The implementation. */
  @Param({"rota", "floor", "copy", "values", "skipLocked", "dbScheduler"})
  String contender;

  /** The number of tenants. */
  @Param("100")
  int tenants;

  /** Tasks in a transaction. */
  @Param("1000")
  int batch;

  /** Bytes of a payload. */
  @Param("64")
  int payload;

  /** Threads that store tasks. */
  @Param("4")
  int threads;

  /** Tasks in a measurement. */
  @Param("200000")
  int tasks;

  @Override
  String contender() {
    return contender;
  }

  @Override
  RivalWorkload workload() {
    return new RivalWorkload(tenants, batch, payload);
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
