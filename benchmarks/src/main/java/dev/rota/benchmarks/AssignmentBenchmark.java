package dev.rota.benchmarks;

import dev.rota.benchmarks.rivals.AssignmentContender;
import dev.rota.benchmarks.rivals.AssignmentContender.Client;
import dev.rota.benchmarks.rivals.AssignmentContender.Primitive;
import dev.rota.benchmarks.rivals.Crew;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
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
 * Measures how many times a second a worker can be assigned to a task, by each of the three
 * primitives.
 *
 * <p>Data: 32 threads repeat requests until they have 20,000 assignments. {@code WORKER_FOR_TASK}:
 * one of 100,000 tasks requests one of 1,000 workers and releases it. {@code TASK_FOR_WORKER}:
 * 20,000 tasks are known, and each of 20,000 workers takes one and keeps it. {@code PAIR}: one of a
 * million workers and one of a million tasks are assigned to each other and released. {@code
 * original} has a connection for each thread and calls the functions of the published design.
 *
 * <pre>java -jar benchmarks/target/benchmarks.jar AssignmentBenchmark -p threads=1,32</pre>
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 1)
@Measurement(iterations = 5)
@Fork(1)
public class AssignmentBenchmark {

  /** The implementation. */
  @Param({"rota", "original"})
  String contender;

  /** The primitive. */
  @Param Primitive primitive;

  /** Threads that send requests. */
  @Param("32")
  int threads;

  /** Requests in a measurement, and known tasks where workers request one. */
  @Param("20000")
  int tasks;

  /** Seconds of the same load before the first shot. */
  @Param("20")
  int warmup;

  private TrialDatabase database;
  private AssignmentContender assignments;
  private Crew crew;
  private final List<Client> clients = new ArrayList<>();
  private final AtomicLong turnedAway = new AtomicLong();

  /**
   * Opens the contender in a new database, and warms up.
   *
   * @throws Exception if that fails
   */
  @Setup(Level.Trial)
  public void open() throws Exception {
    database = TrialDatabase.create();
    assignments = AssignmentContender.open(contender, database.url(), primitive);
    crew = new Crew(threads);
    for (int i = 0; i < threads; i++) {
      clients.add(assignments.client());
    }
    WarmUp.repeat(warmup, this::fill, () -> crew.run(this::assignPart));
  }

  /**
   * Adds the known members.
   *
   * @throws Exception if that fails
   */
  @Setup(Level.Invocation)
  public void fill() throws Exception {
    turnedAway.set(0);
    assignments.fill(tasks);
  }

  /** The requests that got no assignment. */
  @State(Scope.Thread)
  @AuxCounters(AuxCounters.Type.EVENTS)
  public static class Misses {

    /** Of a hundred requests, those that had to be repeated. */
    public double turnedAwayPercent;
  }

  /**
   * Requests assignments until each request got one.
   *
   * @param misses receives the number of repeated requests
   * @throws Exception if that fails
   */
  @Benchmark
  public void assign(Misses misses) throws Exception {
    crew.run(this::assignPart);
    misses.turnedAwayPercent = 100.0 * turnedAway.get() / tasks;
  }

  /**
   * Runs one thread's part. A refused request, which met concurrent ones for the same member, is
   * repeated.
   */
  private void assignPart(int member) throws Exception {
    Client client = clients.get(member);
    Random random = new Random(member);
    for (int i = member; i < tasks; i += threads) {
      while (!ask(client, i, random)) {
        turnedAway.incrementAndGet();
      }
    }
  }

  private boolean ask(Client client, int number, Random random) throws Exception {
    return switch (primitive) {
      case WORKER_FOR_TASK -> client.ask(0, random.nextInt(AssignmentContender.ASKING_TASKS));
      case TASK_FOR_WORKER -> client.ask(number, 0);
      case PAIR ->
          client.ask(
              random.nextInt(AssignmentContender.PAIRED),
              random.nextInt(AssignmentContender.PAIRED));
    };
  }

  /**
   * Counts the assignments.
   *
   * @throws Exception if there are more or fewer than expected
   */
  @TearDown(Level.Invocation)
  public void verify() throws Exception {
    boolean kept = primitive == Primitive.TASK_FOR_WORKER;
    RotaTrial.require("assignments", kept ? tasks : 0, assignments.assigned());
  }

  /**
   * Drops the database.
   *
   * @throws Exception if that fails
   */
  @TearDown(Level.Trial)
  public void close() throws Exception {
    for (Client client : clients) {
      client.close();
    }
    crew.close();
    assignments.close();
    database.close();
  }
}
