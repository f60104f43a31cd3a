package dev.rota.spring;

import dev.rota.schedule.MissedRuns;
import dev.rota.schedule.OverlappingRuns;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;

/**
 * Runs this method of a bean repeatedly, by a task that a schedule enqueues, once for all processes
 * of the application.
 *
 * <pre>{@code
 * @RotaSchedule(name = "nightly", cron = "0 3 * * *", zone = "Europe/Berlin")
 * void nightly() { ... }
 * }</pre>
 *
 * <p>The start of the application stores the schedule, by {@link
 * dev.rota.schedule.Schedules#add(dev.rota.schedule.Schedule)}. A pause stays. A schedule whose
 * annotation was removed stays too, until {@link dev.rota.schedule.Schedules#remove(String)}. The
 * method takes the {@link dev.rota.Task} or nothing. Placeholders such as <code>${report.cron}
 * </code> are replaced in all texts.
 */
@Documented
@Reflective
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface RotaSchedule {

  /**
   * The name of the schedule, unique among those of its tenant, and the kind of its tasks.
   *
   * @return a name that is valid as a kind
   */
  String name();

  /**
   * The tenant; that of {@code rota.system-tenant} by default. It is registered if it is missing.
   *
   * @return the name of the tenant
   */
  String tenant() default "";

  /**
   * The cron expression, with five fields as in crontab(5). A dash, {@code -}, stores no schedule.
   *
   * @return the expression; this or {@link #every()}
   */
  String cron() default "";

  /**
   * The period, such as {@code 10m} or {@code PT10M}. A dash, {@code -}, stores no schedule.
   *
   * @return the period; this or {@link #cron()}
   */
  String every() default "";

  /**
   * The time zone of the cron expression.
   *
   * @return an id such as {@code Europe/Berlin}; UTC by default
   */
  String zone() default "UTC";

  /**
   * The policy for occurrences that could not be enqueued in time.
   *
   * @return the policy
   */
  MissedRuns missed() default MissedRuns.ONCE;

  /**
   * The policy for an occurrence whose last task has not ended.
   *
   * @return the policy
   */
  OverlappingRuns overlapping() default OverlappingRuns.START;
}
