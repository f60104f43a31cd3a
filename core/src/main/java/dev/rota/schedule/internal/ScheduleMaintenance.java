package dev.rota.schedule.internal;

import dev.rota.internal.enqueue.Doorbell;
import dev.rota.internal.maintenance.Backoff;
import dev.rota.internal.maintenance.FailureTracker;
import dev.rota.internal.maintenance.LeaderTransactions;
import dev.rota.internal.maintenance.LeadershipEndedException;
import dev.rota.internal.maintenance.MaintenanceTask;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Enqueues the tasks of due schedules, those of several tenants in one transaction. It sleeps until
 * the next one that it knows, and looks for new and changed ones every second. Used by one thread.
 */
public final class ScheduleMaintenance implements MaintenanceTask {

  private static final int BATCH = 1_000;

  /** The most schedules in one transaction; after a failure they are run one by one. */
  private static final int SCHEDULES_TOGETHER = 250;

  /** The most tenants in one transaction. Each costs about four locks until the commit. */
  private static final int TENANTS_TOGETHER = 32;

  /** The length of a step, after which the other tasks have a turn. */
  private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  private static final long SHORTEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(5);
  private static final long LONGEST_REST = TimeUnit.MILLISECONDS.toNanos(250);
  private static final long INTERVAL = TimeUnit.SECONDS.toNanos(1);

  private final LeaderTransactions transactions;
  private final ScheduleRunner runner;
  private final ScheduleReplanner replanner;
  private final Doorbell doorbell;
  private final FailureTracker<Long> failures = new FailureTracker<>("enqueue the task of");

  private record Look(List<ScheduleRow> due, ScheduleRunner.Next next) {}

  public ScheduleMaintenance(
      LeaderTransactions transactions,
      ScheduleRunner runner,
      ScheduleReplanner replanner,
      Doorbell doorbell) {
    this.transactions = transactions;
    this.runner = runner;
    this.replanner = replanner;
    this.doorbell = doorbell;
  }

  @Override
  public String name() {
    return "look for due schedules";
  }

  @Override
  public Duration run() throws SQLException {
    long startedAt = System.nanoTime();
    Set<Long> avoided = failures.avoided();
    Look look =
        transactions.transaction(
            name(), session -> new Look(runner.due(session, avoided, BATCH), runner.next(session)));
    for (List<ScheduleRow> group : groups(look.due())) {
      if (System.nanoTime() - startedAt < STEP_NANOS) {
        run(group);
      }
    }
    replanner.step(look.next().readAt());
    return Duration.ofNanos(pause(look, startedAt));
  }

  private static List<List<ScheduleRow>> groups(List<ScheduleRow> due) {
    List<List<ScheduleRow>> groups = new ArrayList<>();
    List<ScheduleRow> group = new ArrayList<>();
    Set<Integer> tenants = new HashSet<>();
    for (ScheduleRow row : due) {
      boolean another = !tenants.contains(row.tenant());
      if (group.size() == SCHEDULES_TOGETHER || (another && tenants.size() == TENANTS_TOGETHER)) {
        groups.add(group);
        group = new ArrayList<>();
        tenants.clear();
      }
      group.add(row);
      tenants.add(row.tenant());
    }
    groups.add(group);
    return groups;
  }

  /**
   * Computes the rest, which is longer after an expensive step; meanwhile more schedules become due
   * together.
   */
  private static long pause(Look look, long startedAt) {
    long cost = System.nanoTime() - startedAt;
    if (cost >= STEP_NANOS) {
      return SHORTEST_PAUSE;
    }
    long rest = Math.min(LONGEST_REST, Math.max(SHORTEST_PAUSE, 2 * cost));
    return look.due().isEmpty()
        ? Math.max(rest, Math.min(Backoff.jittered(INTERVAL), look.next().nanos() - cost))
        : rest;
  }

  /** Runs a group; one schedule's failure does not stop the others. */
  private void run(List<ScheduleRow> group) throws SQLException {
    if (group.isEmpty()) {
      return;
    }
    try {
      runTogether(group);
    } catch (LeadershipEndedException e) {
      throw e;
    } catch (SQLException | RuntimeException e) {
      for (ScheduleRow row : group) {
        failures.attempt(row.id(), ScheduleRunner.label(row), () -> runTogether(List.of(row)));
      }
    }
  }

  private void runTogether(List<ScheduleRow> group) throws SQLException {
    Collection<Integer> tenants =
        transactions.transaction(
            "enqueue the tasks of " + group.size() + " schedules",
            session -> runner.run(session, group));
    tenants.forEach(doorbell::ring);
  }
}
