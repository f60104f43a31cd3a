package dev.rota.schedule;

import dev.rota.TenantClosedException;
import java.util.List;
import java.util.Optional;

/**
 * The schedules of one tenant. Thread-safe, and safe from many processes at once.
 *
 * <p>A daemon enqueues the task of each occurrence when its time comes by the clock of the
 * database, once however many daemons there are: the task is stored and the schedule moved on in
 * one transaction. While the tenant is closed nothing is enqueued; what falls into that time is
 * missed ({@link MissedRuns}). A tenant that is removed takes its schedules along.
 */
public interface Schedules {

  /**
   * Adds a schedule, or changes the one of this name. To be called by every process at every start:
   * the same schedule again changes nothing, so its next time and a pause stay. A changed one takes
   * the place of the old: it stays paused if it was, and its next time is worked out anew if its
   * cron expression, zone, period or start changed. A closed tenant may get schedules.
   *
   * @param schedule the schedule
   * @return the schedule as it now stands
   * @throws InvalidScheduleException if something in it breaks a rule; nothing is changed then
   */
  ScheduleInfo add(Schedule schedule);

  /**
   * All schedules of the tenant.
   *
   * @return in the order of their names
   */
  List<ScheduleInfo> list();

  /**
   * The schedule of this name, if there is one.
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
   * Lets a paused schedule go on with its next time from now; what fell into the pause is not made
   * up for. A period keeps its beat. Idempotent.
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
