package dev.rota.schedule;

import dev.rota.TenantClosedException;
import java.util.List;
import java.util.Optional;

/**
 * The schedules of one tenant. Thread-safe, and safe from many processes at once.
 *
 * <p>A daemon enqueues the task of each occurrence when its time comes by the clock of the
 * database, once however many daemons there are. One transaction stores the task and advances the
 * schedule. While the tenant is closed nothing is enqueued; occurrences in that time are missed
 * ({@link MissedRuns}). The schedules of a tenant are removed with it.
 */
public interface Schedules {

  /**
   * Adds a schedule, or changes the one of this name. Every process may call it at every start: an
   * equal schedule changes nothing, so its next time and a pause stay. A changed one replaces the
   * old, and stays paused if it was. Its next time is computed again if its cron expression, zone,
   * period or start changed. A closed tenant may get schedules.
   *
   * @param schedule the schedule
   * @return the schedule as now stored
   * @throws InvalidScheduleException if the schedule breaks a rule; nothing is changed then
   */
  ScheduleInfo add(Schedule schedule);

  /**
   * Lists all schedules of the tenant.
   *
   * @return in the order of their names
   */
  List<ScheduleInfo> list();

  /**
   * Finds the schedule of this name.
   *
   * @param name the name
   * @return the schedule, or empty
   */
  Optional<ScheduleInfo> find(String name);

  /**
   * Stops a schedule until {@link #resume}. Idempotent.
   *
   * @param name the name
   * @throws UnknownScheduleException if the tenant has no such schedule
   */
  void pause(String name);

  /**
   * Resumes a paused schedule with its next time from now; occurrences during the pause are not
   * made up for. A period keeps its beat. Idempotent.
   *
   * @param name the name
   * @throws UnknownScheduleException if the tenant has no such schedule
   */
  void resume(String name);

  /**
   * Enqueues the task of a schedule now, also when it is paused or its last task has not ended. Its
   * next time stays; the task counts as its last.
   *
   * @param name the name
   * @return the id of the task
   * @throws UnknownScheduleException if the tenant has no such schedule
   * @throws TenantClosedException if the tenant is closed
   * @throws dev.rota.limits.QuotaExceededException if the tenant is at its quota; occurrences are
   *     stored even then
   */
  long run(String name);

  /**
   * Removes a schedule. Tasks that it enqueued stay. Idempotent.
   *
   * @param name the name
   * @return whether there was one
   */
  boolean remove(String name);
}
