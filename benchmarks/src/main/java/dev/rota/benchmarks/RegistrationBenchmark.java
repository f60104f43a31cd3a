package dev.rota.benchmarks;

import dev.rota.Tenant;
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
 * Measures how long it takes to register many tenants, which have no tables before their first
 * task.
 *
 * <p>Data: new names for each shot, in a database that keeps the tenants of earlier shots.
 *
 * <pre>java -jar benchmarks/target/benchmarks.jar RegistrationBenchmark</pre>
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 1)
@Measurement(iterations = 3)
@Fork(1)
public class RegistrationBenchmark {

  /** How many are registered together. */
  @Param({"1", "100", "1000"})
  int tenants;

  private RotaTrial trial;

  /**
   * Creates the database.
   *
   * @throws Exception if that fails
   */
  @Setup(Level.Trial)
  public void open() throws Exception {
    trial = RotaTrial.open();
  }

  /** Registers the tenants. */
  @Benchmark
  public void registerAll() {
    List<Tenant> registered = trial.register(tenants);
    RotaTrial.require("registered", tenants, registered.size());
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
