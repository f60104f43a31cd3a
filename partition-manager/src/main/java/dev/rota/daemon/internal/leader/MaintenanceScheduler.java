package dev.rota.daemon.internal.leader;

import dev.rota.internal.log.Logs;
import dev.rota.internal.maintenance.Backoff;
import dev.rota.internal.maintenance.LeadershipEndedException;
import dev.rota.internal.maintenance.MaintenanceTask;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;

/**
 * Schedules maintenance tasks: each does one step a round, the urgent ones first, and returns the
 * time of its next step. Used by one thread.
 */
final class MaintenanceScheduler {

  private static final Logger log = Logs.of(MaintenanceScheduler.class);
  private static final long LONGEST_PAUSE = TimeUnit.MINUTES.toNanos(1);

  private final List<Shift> shifts;

  private static final class Shift {
    private final MaintenanceTask task;
    private long nextAt = System.nanoTime();
    private int failures;

    Shift(MaintenanceTask task) {
      this.task = task;
    }
  }

  MaintenanceScheduler(List<MaintenanceTask> tasks) {
    this.shifts = tasks.stream().map(Shift::new).toList();
  }

  /** Runs a step of every task whose time has come. */
  void round(BooleanSupplier stopping) {
    for (Shift shift : shifts) {
      if (stopping.getAsBoolean()) {
        return;
      }
      if (shift.nextAt - System.nanoTime() <= 0) {
        step(shift);
      }
    }
  }

  /** The time until the next task is due, in nanoseconds. */
  long pause() {
    long now = System.nanoTime();
    return shifts.stream().mapToLong(shift -> shift.nextAt - now).min().orElse(LONGEST_PAUSE);
  }

  private static void step(Shift shift) {
    try {
      long pause = shift.task.run().toNanos();
      shift.nextAt = System.nanoTime() + Math.min(pause, LONGEST_PAUSE);
      recovered(shift);
    } catch (LeadershipEndedException e) {
      throw e;
    } catch (SQLException | RuntimeException | Error e) {
      // An Error, such as a missing library, must not end all other tasks.
      failed(shift, e);
    }
  }

  private static void recovered(Shift shift) {
    if (shift.failures > 0) {
      log.info("the Rota daemon can {} again", shift.task.name());
      shift.failures = 0;
    }
  }

  private static void failed(Shift shift, Throwable e) {
    shift.failures++;
    shift.nextAt = System.nanoTime() + Backoff.beforeRetry(shift.failures);
    if (shift.failures == 1) {
      log.warn(
          "the Rota daemon cannot {}, and keeps trying: {}", shift.task.name(), e.getMessage(), e);
    }
  }
}
