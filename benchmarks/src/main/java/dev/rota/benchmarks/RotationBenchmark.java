package dev.rota.benchmarks;

import dev.rota.Batch;
import dev.rota.NewTask;
import dev.rota.Tenant;
import dev.rota.benchmarks.rivals.Deadline;
import dev.rota.daemon.RotationDaemon;
import java.time.Duration;
import java.util.List;
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
 * Measures how long it takes to switch the ring of one tenant, and for how much of that the next
 * slot is locked.
 *
 * <p>Data: before each shot every tenant gets 200 tasks, which are claimed and settled. A daemon
 * switches the rings of all tenants because of their size. The result is in the counters. The shot
 * also contains the start of the daemon and its rests, which last three times as long as its work.
 *
 * <pre>java -jar benchmarks/target/benchmarks.jar RotationBenchmark</pre>
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 2)
@Measurement(iterations = 5)
@Fork(1)
public class RotationBenchmark {

  private static final int TASKS_EACH = 200;
  private static final int SMALLEST_SLOT = 8_192;

  /** The number of tenants. */
  @Param("100")
  int tenants;

  /** Bytes of a payload. */
  @Param("64")
  int payload;

  private final SwitchTimer timer = new SwitchTimer();
  private RotaTrial trial;
  private List<Tenant> registered;
  private List<NewTask> tasks;

  /** The duration of a switch. */
  @State(Scope.Thread)
  @AuxCounters(AuxCounters.Type.EVENTS)
  public static class Switch {

    /** The time from its first statement to its commit, in microseconds. */
    public double switchMicros;

    /** The part of it with the next slot locked. */
    public double lockedMicros;
  }

  /**
   * Creates the tenants.
   *
   * @throws Exception if that fails
   */
  @Setup(Level.Trial)
  public void open() throws Exception {
    trial = RotaTrial.open(tenants, timer);
    registered = trial.tenants();
    tasks = RotaTrial.tasks(TASKS_EACH, payload);
  }

  /** Fills every current slot and drains it. */
  @Setup(Level.Invocation)
  public void use() {
    for (Tenant tenant : registered) {
      tenant.enqueueAll(tasks);
      try (Batch batch = tenant.claim(TASKS_EACH)) {
        RotaTrial.require("settled", TASKS_EACH, batch.settle().settled());
      }
    }
    timer.reset();
  }

  /**
   * Lets a daemon switch all rings.
   *
   * @param figures receives the times
   */
  @Benchmark
  public void switchAll(Switch figures) {
    try (RotationDaemon daemon = startDaemon()) {
      Deadline.await("the last switch", () -> daemon.statistics().rotations() >= tenants);
    }
    figures.switchMicros = timer.micros();
    figures.lockedMicros = timer.microsLocked();
  }

  private RotationDaemon startDaemon() {
    return RotationDaemon.builder(trial.rota())
        .rotateEvery(Duration.ofDays(7))
        .slotBytes(SMALLEST_SLOT)
        .tick(Duration.ofMillis(10))
        .start();
  }

  /** Counts the switches. */
  @TearDown(Level.Invocation)
  public void verify() {
    RotaTrial.require("switches", tenants, timer.switches());
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
