package dev.rota.benchmarks;

import dev.rota.benchmarks.rivals.RivalWorkload;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Base class of benchmarks that store tasks: opens a contender, and counts after each shot.
 *
 * <p>The warm-up has a database of its own, since a fast contender would begin its first shot on
 * larger tables than a slow one. Shots of JMH's warm-up prepare the statements of the new one.
 */
@State(Scope.Benchmark)
public abstract class EnqueueContest {

  /** Seconds of the same load before the first shot. */
  @Param("20")
  int warmup;

  private Contest contest;

  /**
   * Warms up, then opens the contender in a new database.
   *
   * @throws Exception if that fails
   */
  @Setup(Level.Trial)
  public void open() throws Exception {
    if (warmup > 0) {
      try (Contest first = openContest()) {
        WarmUp.repeat(warmup, () -> {}, () -> first.enqueue(tasks(), workload().batch()));
      }
    }
    contest = openContest();
  }

  private Contest openContest() throws Exception {
    return Contest.open(contender(), workload(), threads());
  }

  abstract String contender();

  abstract RivalWorkload workload();

  abstract int threads();

  /** The number of tasks of a shot. */
  abstract int tasks();

  void enqueueAll() throws Exception {
    contest.enqueue(tasks(), workload().batch());
  }

  /**
   * Counts the rows.
   *
   * @throws Exception if there are more or fewer than expected
   */
  @TearDown(Level.Invocation)
  public void verify() throws Exception {
    contest.verify();
  }

  /**
   * Drops the database.
   *
   * @throws Exception if that fails
   */
  @TearDown(Level.Trial)
  public void close() throws Exception {
    contest.close();
  }
}
