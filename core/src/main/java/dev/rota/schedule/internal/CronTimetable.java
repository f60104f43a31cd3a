package dev.rota.schedule.internal;

import com.cronutils.model.Cron;
import com.cronutils.model.CronType;
import com.cronutils.model.definition.CronDefinitionBuilder;
import com.cronutils.model.field.CronFieldName;
import com.cronutils.model.field.expression.Always;
import com.cronutils.model.time.ExecutionTime;
import com.cronutils.parser.CronParser;
import dev.rota.internal.text.SafeText;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Computes occurrences of a cron expression in a time zone. The library computes only local times.
 * This class decides about local times that a change of the clocks skips or repeats, as Paul
 * Vixie's cron does. Times of fixed hours are made up after a gap and not repeated in an overlap,
 * and an expression for every hour follows elapsed time.
 */
final class CronTimetable implements Timetable {

  private static final CronParser PARSER =
      new CronParser(CronDefinitionBuilder.instanceDefinitionFor(CronType.UNIX));

  // The library also accepts several expressions separated by bars, and names such as @daily.
  private static final Pattern FIVE_FIELDS = Pattern.compile("\\s*[^\\s|]+(?:\\s+[^\\s|]+){4}\\s*");

  private final String expression;
  private final ExecutionTime localTimes;
  private final ZoneRules clocks;
  private final boolean hourly;

  private CronTimetable(String expression, Cron cron, ZoneId zone) {
    this.expression = expression;
    this.localTimes = ExecutionTime.forCron(cron);
    this.clocks = zone.getRules();
    this.hourly = cron.retrieve(CronFieldName.HOUR).getExpression() instanceof Always;
  }

  static CronTimetable parse(String expression, String zone) {
    return new CronTimetable(expression, parse(expression), zone(zone));
  }

  private static Cron parse(String expression) {
    if (!FIVE_FIELDS.matcher(expression).matches()) {
      throw unreadable(expression, "it has not five fields");
    }
    try {
      return PARSER.parse(expression).validate();
    } catch (IllegalArgumentException e) {
      throw unreadable(expression, String.valueOf(e.getMessage()));
    }
  }

  /** Creates the exception without the cause, whose message would repeat the text unescaped. */
  private static IllegalArgumentException unreadable(String expression, String why) {
    return new IllegalArgumentException(
        "cron is '"
            + SafeText.of(expression)
            + "': "
            + SafeText.of(why)
            + "; give minute, hour, day of month, month and day of week, such as '30 8 * * 1-5'");
  }

  private static ZoneId zone(String zone) {
    try {
      return ZoneId.of(zone);
    } catch (DateTimeException e) {
      throw new IllegalArgumentException(
          "zone is '"
              + SafeText.of(zone)
              + "'; give an id such as Europe/Berlin, or an offset such as +05:30");
    }
  }

  /** Searches from one change of the clocks to the next; in between local times only go forward. */
  @Override
  public Instant after(Instant time) {
    Instant from = time;
    LocalDateTime local =
        LocalDateTime.ofInstant(time, ZoneOffset.UTC)
            .plusSeconds(clocks.getOffset(time).getTotalSeconds());
    while (true) {
      ZoneOffset offset = clocks.getOffset(from);
      LocalDateTime next = afterLocal(local);
      Instant instant = next.toInstant(offset);
      @Nullable ZoneOffsetTransition change = clocks.nextTransition(from);
      if (change == null || instant.isBefore(change.getInstant())) {
        if (!isRepeated(next, offset)) {
          return instant;
        }
        local = next;
      } else if (isMadeUp(next, change)) {
        return change.getInstant();
      } else {
        from = change.getInstant();
        local = change.getDateTimeAfter().minusMinutes(1);
      }
    }
  }

  /** Finds the next local time; expressions have whole minutes. */
  private LocalDateTime afterLocal(LocalDateTime local) {
    return localTimes
        .nextExecution(local.truncatedTo(ChronoUnit.MINUTES).atZone(ZoneOffset.UTC))
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "cron is '" + SafeText.of(expression) + "', a time that never comes"))
        .toLocalDateTime();
  }

  /** Whether the time is in the second pass of an overlap. */
  private boolean isRepeated(LocalDateTime local, ZoneOffset offset) {
    if (hourly) {
      return false;
    }
    List<ZoneOffset> offsets = clocks.getValidOffsets(local);
    return offsets.size() == 2 && offsets.get(1).equals(offset);
  }

  /** Whether the time falls into a gap. */
  private boolean isMadeUp(LocalDateTime local, ZoneOffsetTransition change) {
    return !hourly && change.isGap() && local.isBefore(change.getDateTimeAfter());
  }
}
