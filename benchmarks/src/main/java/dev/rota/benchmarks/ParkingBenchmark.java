package dev.rota.benchmarks;

import dev.rota.NewTask;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.daemon.RotationDaemon;
import dev.rota.internal.db.Session.StatementObserver;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.SynchronousQueue;
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
 * Measures what many registered tenants cost of which few are active: relations, an idle worker and
 * daemon, and the first task of a parked tenant.
 *
 * <p>Data: registered tenants, of which some have tables. A worker and a daemon with default
 * settings run in this process. The result is in the counters.
 *
 * <pre>java -jar benchmarks/target/benchmarks.jar ParkingBenchmark</pre>
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 1)
@Measurement(iterations = 3)
@Fork(1)
public class ParkingBenchmark {

  /** The number of registered tenants. */
  @Param("100000")
  int tenants;

  /** The number of those that have tables. */
  @Param("1000")
  int active;

  /** The length of the observation. */
  @Param("20")
  int seconds;

  /** The number of first tasks. */
  @Param("200")
  int firsts;

  private final SynchronousQueue<Long> started = new SynchronousQueue<>();
  private RotaTrial trial;
  private Worker worker;
  private RotationDaemon daemon;
  private int next;
  private double registeredPerSecond;

  /** What idle processes take. */
  @State(Scope.Thread)
  @AuxCounters(AuxCounters.Type.EVENTS)
  public static class Idle {

    /** The use of this process, in percent of a core. */
    public double processPercent;

    /** The use of its connections' processes, in percent of a core. */
    public double serverPercent;

    /** The relations of the database, with indexes and the system's. */
    public double relations;

    /** The tenants that were registered in a second. */
    public double registeredPerSecond;
  }

  /** The times from the call that enqueues a first task to its handler, in milliseconds. */
  @State(Scope.Thread)
  @AuxCounters(AuxCounters.Type.EVENTS)
  public static class First {

    /** The median. */
    public double p50;

    /** The 99th percentile. */
    public double p99;
  }

  /**
   * Registers the tenants and starts the processes.
   *
   * @throws Exception if that fails
   */
  @Setup(Level.Trial)
  public void open() throws Exception {
    trial = RotaTrial.open(0, StatementObserver.NONE);
    long begun = System.nanoTime();
    List<Tenant> registered = trial.register(tenants);
    registeredPerSecond = tenants * 1e9 / (System.nanoTime() - begun);
    next = Math.min(active, tenants / 2);
    trial.makeTables(registered.subList(0, next));
    worker =
        trial
            .rota()
            .worker()
            .handle(RotaTrial.KIND, task -> started.put(System.nanoTime()))
            .start();
    daemon = RotationDaemon.start(trial.rota());
  }

  private Tenant tenant(int number) {
    return trial.rota().tenants().get("tenant-" + number);
  }

  /**
   * Observes the idle processes.
   *
   * @param idle receives the figures
   * @throws Exception if the server cannot be queried
   */
  @Benchmark
  public void idle(Idle idle) throws Exception {
    long begun = System.nanoTime();
    long process = IdleWorkerBenchmark.processNanos();
    long server = IdleWorkerBenchmark.serverNanos(trial.url());
    TimeUnit.SECONDS.sleep(seconds);
    double elapsed = System.nanoTime() - begun;
    idle.processPercent = 100 * (IdleWorkerBenchmark.processNanos() - process) / elapsed;
    idle.serverPercent = 100 * (IdleWorkerBenchmark.serverNanos(trial.url()) - server) / elapsed;
    idle.relations = relations();
    idle.registeredPerSecond = registeredPerSecond;
  }

  private long relations() throws SQLException {
    try (Connection connection = DriverManager.getConnection(trial.url());
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("select count(*) from pg_class")) {
      row.next();
      return row.getLong(1);
    }
  }

  /**
   * Enqueues first tasks, one after the other.
   *
   * @param first receives the figures
   * @throws Exception if a task does not start
   */
  @Benchmark
  public void firstTasks(First first) throws Exception {
    int count = Math.min(firsts, tenants - next);
    double[] millis = new double[count];
    for (int i = 0; i < count; i++) {
      Tenant parked = tenant(next++);
      long begun = System.nanoTime();
      long unused = parked.enqueue(NewTask.of(RotaTrial.KIND, "{}"));
      Long ran = started.poll(1, TimeUnit.MINUTES);
      if (ran == null) {
        throw new IllegalStateException("the first task of " + parked + " did not start");
      }
      millis[i] = (ran - begun) / 1e6;
    }
    Arrays.sort(millis);
    first.p50 = millis[count / 2];
    first.p99 = millis[(int) Math.ceil(count * 0.99) - 1];
  }

  /**
   * Stops the processes and drops the database.
   *
   * @throws Exception if that fails
   */
  @TearDown(Level.Trial)
  public void close() throws Exception {
    daemon.close();
    worker.close();
    trial.close();
  }
}
