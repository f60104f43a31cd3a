package dev.rota.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import dev.rota.Worker;
import dev.rota.internal.db.Session.StatementObserver;
import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
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
 * Measures how much of a core a process with an idle worker takes.
 *
 * <p>Data: tenants without tasks and a worker with default settings. The result is in the counters,
 * in percent of a core. They are of this process, and of its connections' processes in the server
 * if that runs on this machine.
 *
 * <pre>java -jar benchmarks/target/benchmarks.jar IdleWorkerBenchmark</pre>
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 1)
@Measurement(iterations = 3)
@Fork(1)
public class IdleWorkerBenchmark {

  /** The number of tenants. */
  @Param({"1000", "10000"})
  int tenants;

  /** The length of the observation. */
  @Param("10")
  int seconds;

  private RotaTrial trial;
  private Worker worker;

  /** The used processor time. */
  @State(Scope.Thread)
  @AuxCounters(AuxCounters.Type.EVENTS)
  public static class Usage {

    /** The use of this process, in percent of a core. */
    public double processPercent;

    /** The use of its connections' processes, in percent of a core. */
    public double serverPercent;
  }

  /**
   * Creates the tenants and starts the worker.
   *
   * @throws Exception if that fails
   */
  @Setup(Level.Trial)
  public void open() throws Exception {
    trial = RotaTrial.open(tenants, StatementObserver.NONE);
    worker = trial.rota().worker().handle(RotaTrial.KIND, task -> {}).start();
  }

  /**
   * Observes the idle worker.
   *
   * @param usage receives the figures
   * @throws Exception if the server cannot be queried
   */
  @Benchmark
  public void idle(Usage usage) throws Exception {
    long started = System.nanoTime();
    long process = processNanos();
    long server = serverNanos();
    TimeUnit.SECONDS.sleep(seconds);
    double elapsed = System.nanoTime() - started;
    usage.processPercent = 100 * (processNanos() - process) / elapsed;
    usage.serverPercent = 100 * (serverNanos() - server) / elapsed;
  }

  /** The processor time that this process has used. */
  static long processNanos() {
    return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
  }

  private long serverNanos() throws SQLException {
    return serverNanos(trial.url());
  }

  /** The processor time that the server's processes for Rota have used. */
  static long serverNanos(String url) throws SQLException {
    long nanos = 0;
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement();
        ResultSet backends =
            statement.executeQuery(
                "select pid from pg_stat_activity where application_name = 'rota'"
                    + " and datname = current_database()")) {
      while (backends.next()) {
        nanos +=
            ProcessHandle.of(backends.getLong(1))
                .flatMap(backend -> backend.info().totalCpuDuration())
                .orElse(Duration.ZERO)
                .toNanos();
      }
    }
    return nanos;
  }

  /**
   * Drops the database.
   *
   * @throws Exception if that fails
   */
  @TearDown(Level.Trial)
  public void close() throws Exception {
    worker.close();
    trial.close();
  }
}
