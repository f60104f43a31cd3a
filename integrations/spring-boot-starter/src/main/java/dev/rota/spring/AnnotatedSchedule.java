package dev.rota.spring;

import dev.rota.NewTask;
import dev.rota.Tenants;
import dev.rota.schedule.Schedule;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.springframework.boot.convert.DurationStyle;

/**
 * The schedule of an annotated method.
 *
 * @param tenant the name of its tenant
 * @param kind the kind of its tasks
 * @param schedule the schedule; empty if it is switched off
 */
record AnnotatedSchedule(String tenant, String kind, Optional<Schedule> schedule) {

  private static final String OFF = "-";

  /** Reads an annotation. */
  static AnnotatedSchedule of(
      RotaSchedule mark, String method, UnaryOperator<String> resolver, String systemTenant) {
    String name = resolver.apply(mark.name());
    String tenant = resolver.apply(mark.tenant());
    String cron = resolver.apply(mark.cron());
    String every = resolver.apply(mark.every());
    if (cron.isEmpty() == every.isEmpty()) {
      throw new InvalidHandlerException(
          "The schedule '%s' of %s needs either a cron expression or a period"
              .formatted(name, method),
          "Set cron or every in its annotation.");
    }
    Optional<Schedule> schedule =
        cron.equals(OFF) || every.equals(OFF)
            ? Optional.empty()
            : Optional.of(
                timed(name, cron, every)
                    .zone(resolver.apply(mark.zone()))
                    .missed(mark.missed())
                    .overlapping(mark.overlapping()));
    return new AnnotatedSchedule(tenant.isEmpty() ? systemTenant : tenant, name, schedule);
  }

  private static Schedule timed(String name, String cron, String every) {
    NewTask task = NewTask.of(name, "");
    return cron.isEmpty()
        ? Schedule.every(name, DurationStyle.detectAndParse(every), task)
        : Schedule.cron(name, cron, task);
  }

  /** Stores the schedule, and registers its tenant. */
  void store(Tenants tenants) {
    schedule.ifPresent(found -> tenants.register(tenant).schedules().add(found));
  }
}
