package dev.rota.benchmarks;

import dev.rota.benchmarks.rivals.RivalWorkload;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Base class of benchmarks that store tasks: opens a contender, and counts after each shot. */
@State(Scope.Benchmark)
public abstract class EnqueueContest {

  private Contest contest;

  /**
   * Opens the contender in a new database.
   *
   * @throws Exception if that fails
   */
  @Setup(Level.Trial)
  public void open() throws Exception {
    contest = Contest.open(contender(), workload(), threads());
  }

  abstract String contender();

  abstract RivalWorkload workload();

  abstract int threads();

  void enqueue(int tasks, int batch) throws Exception {
    contest.enqueue(tasks, batch);
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
