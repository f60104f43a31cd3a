package dev.rota.benchmarks;

import dev.rota.Batch;
import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.cli.EmbeddedServer;
import java.util.Collections;
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
 * How long does it take to claim and settle one batch of one tenant by the low-level pair?
 *
 * <p>Data: one tenant, payloads of 50 bytes; before each invocation exactly one batch of tasks is
 * enqueued, outside the measurement, and the benchmark fails unless it gets them all. Server:
 * durable embedded PostgreSQL 18, or another one by {@code -Djdbc.url=...}. An invocation takes
 * milliseconds, so that a measurement of single shots is fair.
 *
 * <pre>java -jar benchmarks/target/benchmarks.jar ClaimBenchmark</pre>
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 200)
@Measurement(iterations = 500)
@Fork(1)
public class ClaimBenchmark {

  private static final String PAYLOAD = "{\"job\": 12345, \"task\": 678, \"instance\": 90123456}";

  /** Tasks in a batch. */
  @Param({"10", "100", "1000"})
  private int batch;

  private Server server;
  private Rota rota;
  private Tenant tenant;
  private List<NewTask> tasks;

  /** Starts the server and makes the tenant. */
  @Setup(Level.Trial)
  public void open() {
    server = Server.open();
    rota = Rota.connect(server.jdbcUrl());
    rota.migrate();
    tenant = rota.tenants().register("benchmark-" + System.nanoTime());
    tasks = Collections.nCopies(batch, NewTask.of("nothing", PAYLOAD));
  }

  /** Puts one batch into the ring. */
  @Setup(Level.Invocation)
  public void enqueue() {
    tenant.enqueueAll(tasks);
  }

  /**
   * Claims the batch and settles it as done.
   *
   * @return how many tasks were settled
   */
  @Benchmark
  public int claimAndSettle() {
    try (Batch claimed = tenant.claim(batch)) {
      int settled = claimed.settle().settled();
      if (settled != batch) {
        throw new IllegalStateException("settled " + settled + " tasks of a batch of " + batch);
      }
      return settled;
    }
  }

  /** Stops the server. */
  @TearDown(Level.Trial)
  public void close() {
    rota.close();
    server.close();
  }

  /** A server that was given, or an embedded one. */
  private record Server(String jdbcUrl, Runnable stop) {

    static Server open() {
      String given = System.getProperty("jdbc.url");
      if (given != null) {
        return new Server(given, () -> {});
      }
      EmbeddedServer embedded = EmbeddedServer.temporary();
      return new Server(embedded.jdbcUrl(), embedded::close);
    }

    void close() {
      stop.run();
    }
  }
}
