package dev.rota.schedule;

import dev.rota.NewTask;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.Optional;

/**
 * Enqueues a task for a tenant repeatedly: by a cron expression in a time zone, or by a period.
 * Immutable and thread-safe; each method that sets a property returns a copy.
 *
 * <pre>{@code
 * acme.schedules().add(
 *     Schedule.cron("nightly report", "0 3 * * *", NewTask.of("report", "{}"))
 *         .zone("Europe/Berlin")
 *         .overlapping(OverlappingRuns.SKIP));
 * }</pre>
 *
 * <p>This class checks nothing: {@link Schedules#add(Schedule)} checks the whole, and refuses it
 * with {@link InvalidScheduleException}.
 */
public final class Schedule {

  private final String name;
  private final Timing timing;
  private final NewTask task;
  private final Policies policies;

  private Schedule(String name, Timing timing, NewTask task, Policies policies) {
    this.name = Objects.requireNonNull(name, "name");
    this.timing = timing;
    this.task = Objects.requireNonNull(task, "task");
    this.policies = policies;
  }

  /**
   * Creates a schedule by the calendar, in UTC unless {@link #zone(String)} sets another zone.
   *
   * @param name unique among the schedules of its tenant; 1 to 200 characters
   * @param expression five fields as in crontab(5): minute, hour, day of month, month, day of week,
   *     such as {@code 30 8 * * 1-5}. If both day fields are restricted, a day that matches either
   *     one counts.
   * @param task the task to enqueue each time
   * @return the schedule
   */
  public static Schedule cron(String name, String expression, NewTask task) {
    Objects.requireNonNull(expression, "expression");
    return new Schedule(
        name,
        new Timing(Optional.of(expression), Optional.empty(), "UTC", Optional.empty()),
        task,
        Policies.DEFAULT);
  }

  /**
   * Creates a schedule by a period of elapsed time, independent of the calendar. The first
   * occurrence is one period after the schedule was added, unless {@link #startingAt(Instant)} sets
   * another time. Each further one is a period after the planned time of the previous, so that
   * delays do not add up.
   *
   * @param name unique among the schedules of its tenant; 1 to 200 characters
   * @param period 1 second to 3,650 days; fractions of a microsecond are dropped
   * @param task the task to enqueue each time
   * @return the schedule
   */
  public static Schedule every(String name, Duration period, NewTask task) {
    Objects.requireNonNull(period, "period");
    return new Schedule(
        name,
        new Timing(
            Optional.empty(),
            Optional.of(period.truncatedTo(ChronoUnit.MICROS)),
            "UTC",
            Optional.empty()),
        task,
        Policies.DEFAULT);
  }

  /**
   * Sets the time zone of a cron expression; UTC by default. Where clocks go forward, a time that
   * does not exist is replaced by the first moment after the gap. Where they go back, a time that
   * comes twice counts the first time. An expression whose hour is {@code *} follows elapsed time
   * instead: nothing is made up after the gap, and both passes count. A period has no zone.
   *
   * @param zone an id of the IANA time zone database such as {@code Europe/Berlin}, or an offset
   *     such as {@code +05:30}
   * @return a copy in this zone
   */
  public Schedule zone(String zone) {
    Objects.requireNonNull(zone, "zone");
    return timed(new Timing(timing.cron(), timing.period(), zone, timing.from()));
  }

  /**
   * Sets the earliest time of an occurrence. A period counts from here: the first occurrence is at
   * this time or, if it has passed, a whole number of periods later.
   *
   * @param first by the clock of the database; fractions of a microsecond are dropped
   * @return a copy that starts then
   */
  public Schedule startingAt(Instant first) {
    Instant stored = first.truncatedTo(ChronoUnit.MICROS);
    return timed(new Timing(timing.cron(), timing.period(), timing.zone(), Optional.of(stored)));
  }

  /**
   * Sets the policy for occurrences that could not be enqueued in time; {@link MissedRuns#ONCE} by
   * default.
   *
   * @param missed the policy
   * @return a copy with this policy
   */
  public Schedule missed(MissedRuns missed) {
    Objects.requireNonNull(missed, "missed");
    return with(new Policies(missed, policies.overlapping(), policies.jitter()));
  }

  /**
   * Sets the policy for an occurrence whose last task has not ended; {@link OverlappingRuns#START}
   * by default.
   *
   * @param overlapping the policy
   * @return a copy with this policy
   */
  public Schedule overlapping(OverlappingRuns overlapping) {
    Objects.requireNonNull(overlapping, "overlapping");
    return with(new Policies(policies.missed(), overlapping, policies.jitter()));
  }

  /**
   * Sets the longest random delay of each occurrence, so that many schedules of one time do not all
   * start at once; none by default. A delay never reaches the following occurrence.
   *
   * @param longest zero to 1 day
   * @return a copy with this delay
   */
  public Schedule jitter(Duration longest) {
    Objects.requireNonNull(longest, "longest");
    Duration stored = longest.truncatedTo(ChronoUnit.MICROS);
    return with(new Policies(policies.missed(), policies.overlapping(), stored));
  }

  /**
   * The name of the schedule.
   *
   * @return unique among the schedules of its tenant
   */
  public String name() {
    return name;
  }

  /**
   * The cron expression.
   *
   * @return the expression, or empty for a schedule with a period
   */
  public Optional<String> cron() {
    return timing.cron();
  }

  /**
   * The period.
   *
   * @return the period, or empty for a schedule with a cron expression
   */
  public Optional<Duration> period() {
    return timing.period();
  }

  /**
   * The time zone of the cron expression.
   *
   * @return its id
   */
  public String zone() {
    return timing.zone();
  }

  /**
   * The earliest time of an occurrence.
   *
   * @return the time, or empty if none was set
   */
  public Optional<Instant> startingAt() {
    return timing.from();
  }

  /**
   * Sets the task to enqueue each time, instead of the one it has.
   *
   * @param task the task
   * @return a copy with this task
   */
  public Schedule withTask(NewTask task) {
    return new Schedule(name, timing, task, policies);
  }

  /**
   * The task to enqueue each time.
   *
   * @return the task
   */
  public NewTask task() {
    return task;
  }

  /**
   * The policy for occurrences that could not be enqueued in time.
   *
   * @return the policy
   */
  public MissedRuns missed() {
    return policies.missed();
  }

  /**
   * The policy for an occurrence whose last task has not ended.
   *
   * @return the policy
   */
  public OverlappingRuns overlapping() {
    return policies.overlapping();
  }

  /**
   * The longest random delay of each occurrence.
   *
   * @return zero if there is none
   */
  public Duration jitter() {
    return policies.jitter();
  }

  @Override
  public String toString() {
    return "Schedule["
        + name
        + ", "
        + timing.cron().orElseGet(() -> "every " + timing.period().map(String::valueOf).orElse(""))
        + ", "
        + timing.zone()
        + "]";
  }

  private Schedule timed(Timing other) {
    return new Schedule(name, other, task, policies);
  }

  private Schedule with(Policies others) {
    return new Schedule(name, timing, task, others);
  }

  private record Timing(
      Optional<String> cron, Optional<Duration> period, String zone, Optional<Instant> from) {}

  private record Policies(MissedRuns missed, OverlappingRuns overlapping, Duration jitter) {
    private static final Policies DEFAULT =
        new Policies(MissedRuns.ONCE, OverlappingRuns.START, Duration.ZERO);
  }
}
