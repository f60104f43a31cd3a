package dev.rota.junit;

import dev.rota.DatabaseException;
import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.Worker;
import java.time.Duration;
import java.util.function.UnaryOperator;

/**
 * The Rota of a test, which runs tasks in the thread of the test. No worker and no daemon runs
 * beside it: the test does their work by {@link #drain}. Used by one thread.
 */
public interface TestRota {

  /** The settings of a Rota without further ones. */
  final class Defaults implements UnaryOperator<Rota.Builder> {

    /** Creates the settings. */
    public Defaults() {}

    @Override
    public Rota.Builder apply(Rota.Builder builder) {
      return builder;
    }
  }

  /**
   * Creates one over a Rota that the application opened, as under a framework. Its database must
   * have no daemon and, for tasks to run in tests alone, no worker. All tenants take part.
   *
   * @param rota the Rota; the caller closes it
   * @return a new one without handlers
   */
  static TestRota over(Rota rota) {
    return new DefaultTestRota(rota, false);
  }

  /**
   * The Rota over the database of the test, for the code under test.
   *
   * @return the same for all tests of a class
   */
  Rota rota();

  /**
   * Sets the worker of this test: its handlers, and all else that a worker of the application has.
   * Another call replaces it.
   *
   * @param settings applies them to a new builder; it must not start it
   * @return this object
   */
  TestRota handlers(UnaryOperator<Worker.Builder> settings);

  /**
   * Runs in this thread what is due, until nothing is: tasks, retries, schedules, and what they
   * enqueue. Limits hold; where they let a task begin only later, it stays pending.
   *
   * <p>What a handler throws is thrown here, with its own stack trace and a suppressed exception
   * that names the task. An exception by which a handler decides about its task is none of these,
   * such as {@link dev.rota.TaskCancelledException}.
   *
   * @return how many tasks began
   * @throws IllegalStateException if there are no handlers, a daemon leads, or tasks enqueue each
   *     other without an end
   * @throws DatabaseException if the database refused
   */
  int drain();

  /**
   * Lets failures of handlers pass for the rest of this test: {@link #drain} goes on after them,
   * and tries the tasks again once they are due.
   *
   * @return this object
   */
  TestRota expectFailures();

  /**
   * Lets time pass for what waits in the database: delayed tasks, retries, schedules, keys of ended
   * tasks, pauses. No clock changes. Histories do not age, and rates of starts go by real time.
   *
   * @param time how much, more than 0
   * @return this object
   * @throws IllegalArgumentException if it is not more than 0
   * @throws DatabaseException if the database refused
   */
  TestRota advance(Duration time);

  /**
   * Runs what is due once, and dies before any outcome is written, as a killed worker would. The
   * handlers have run; by the next {@link #drain} they run again for the same tasks. With {@link
   * dev.rota.DeliveryMode#TRANSACTIONAL} their transactions roll back. With {@link
   * dev.rota.DeliveryMode#FIRE_AND_FORGET} nothing runs again.
   *
   * @return how many tasks began
   * @throws IllegalStateException as {@link #drain} does
   * @throws DatabaseException if the database refused
   */
  int crash();

  /**
   * Begins assertions about the tasks of a tenant.
   *
   * @param tenant the tenant
   * @return the assertions
   */
  TenantAssert assertThat(Tenant tenant);
}
