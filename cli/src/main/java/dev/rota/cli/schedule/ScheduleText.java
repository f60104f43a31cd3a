package dev.rota.cli.schedule;

import dev.rota.cli.common.Text;
import dev.rota.schedule.Schedule;
import dev.rota.schedule.ScheduleInfo;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Formats schedules. */
final class ScheduleText {

  private ScheduleText() {}

  /** Describes the state of a schedule in a sentence. */
  static String next(ScheduleInfo info) {
    String name = info.schedule().name();
    return info.nextRunAt()
        .map(time -> name + " runs next at " + Text.seconds(time) + ".")
        .orElse(name + " is paused.");
  }

  /** The times of a schedule, as the options of the command say them. */
  private static String times(Schedule schedule) {
    return schedule
        .cron()
        .map(cron -> cron + " " + schedule.zone())
        .orElseGet(() -> "every " + schedule.period().map(ScheduleText::duration).orElse("?"));
  }

  /** The cells of a row of the list. */
  static String[] row(String tenant, ScheduleInfo info) {
    return new String[] {
      info.paused() ? "paused" : "active",
      info.nextRunAt().map(Text::seconds).orElse("-"),
      info.lastRun().map(run -> Text.seconds(run.enqueuedAt())).orElse("-"),
      info.lastRun().map(run -> Long.toString(run.taskId())).orElse("-"),
      Text.count(info.skipped()),
      times(info.schedule()),
      tenant,
      info.schedule().name()
    };
  }

  static Map<String, @Nullable Object> fields(String tenant, ScheduleInfo info) {
    Schedule schedule = info.schedule();
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("tenant", tenant);
    fields.put("name", schedule.name());
    fields.put("cron", schedule.cron().orElse(null));
    fields.put("zone", schedule.zone());
    fields.put("periodSeconds", schedule.period().map(ScheduleText::seconds).orElse(null));
    fields.put("startingAt", schedule.startingAt().map(String::valueOf).orElse(null));
    fields.put("kind", schedule.task().kind());
    fields.put("missed", schedule.missed().name().toLowerCase(Locale.ROOT));
    fields.put("overlapping", schedule.overlapping().name().toLowerCase(Locale.ROOT));
    fields.put("jitterSeconds", seconds(schedule.jitter()));
    fields.put("paused", info.paused());
    fields.put("nextRunAt", info.nextRunAt().map(String::valueOf).orElse(null));
    fields.put("lastTask", info.lastRun().map(ScheduleInfo.Run::taskId).orElse(null));
    fields.put("lastRunAt", info.lastRun().map(run -> run.enqueuedAt().toString()).orElse(null));
    fields.put("skipped", info.skipped());
    return fields;
  }

  private static String duration(Duration duration) {
    return duration.toString().substring("PT".length()).toLowerCase(Locale.ROOT);
  }

  private static double seconds(Duration duration) {
    return duration.toNanos() / 1e9;
  }
}
