package dev.rota.schedule.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.rota.NewTask;
import dev.rota.schedule.Schedule;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests cron expressions in time zones, above all where clocks change. */
class CronTimetableTest {

  private static final String BERLIN = "Europe/Berlin";

  // Clocks went from 02:00 to 03:00 in that night, and from 03:00 back to 02:00 in the other.
  private static final String GAP = "2026-03-28T12:00:00Z";
  private static final String OVERLAP = "2026-10-24T12:00:00Z";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0 3 * * *       | 2026-01-01T03:00:00Z | 2026-01-02T03:00:00Z",
        "*/15 8-9 * * *  | 2026-01-01T08:00:00Z | 2026-01-01T08:15:00Z",
        "30 8 * * 1-5    | 2026-01-01T08:30:00Z | 2026-01-02T08:30:00Z",
        "30 8 * * MON    | 2026-01-05T08:30:00Z | 2026-01-12T08:30:00Z",
        "0 0 * * 7       | 2026-01-04T00:00:00Z | 2026-01-11T00:00:00Z",
        "0 0 * * 0       | 2026-01-04T00:00:00Z | 2026-01-11T00:00:00Z",
        "0 0 31 * *      | 2026-01-31T00:00:00Z | 2026-03-31T00:00:00Z",
        "0 0 29 2 *      | 2028-02-29T00:00:00Z | 2032-02-29T00:00:00Z",
        "0 0 13 * 5      | 2026-01-02T00:00:00Z | 2026-01-09T00:00:00Z",
        "59 23 31 12 *   | 2026-12-31T23:59:00Z | 2027-12-31T23:59:00Z",
        "0 12 1,15 */6 * | 2026-01-01T12:00:00Z | 2026-01-15T12:00:00Z",
      })
  void expressionsMeanWhatTheyMeanInCrontab(String expression, Instant first, Instant second) {
    assertThat(occurrences(expression, "UTC", "2025-12-31T23:59:30Z", 2))
        .containsExactly(first.toString(), second.toString());
  }

  /** Compared with the plain reading of the five fields, minute by minute over a leap year. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "0 3 * * *",
        "*/7 * * * *",
        "5-50/20 1,13 * * *",
        "0 0 13 * 5",
        "15 6 1-7 * 1",
        "30 23 28-31 2 *",
        "10 4 */10 */5 *",
        "0 12 * 6-8 0,6"
      })
  @Tag("exhaustive")
  void noOccurrenceIsLeftOutOrInvented(String expression) {
    Instant from = Instant.parse("2028-01-01T00:00:00Z");
    Instant until = Instant.parse("2029-01-01T00:00:00Z");
    Plain plain = Plain.of(expression);
    List<Instant> expected = new ArrayList<>();
    for (Instant minute = from.plusSeconds(60); minute.isBefore(until); ) {
      if (plain.matches(LocalDateTime.ofInstant(minute, ZoneOffset.UTC))) {
        expected.add(minute);
      }
      minute = minute.plusSeconds(60);
    }
    CronTimetable timetable = CronTimetable.parse(expression, "UTC");
    List<Instant> found = new ArrayList<>();
    for (Instant next = timetable.after(from); next.isBefore(until); next = timetable.after(next)) {
      found.add(next);
    }
    assertThat(found).isEqualTo(expected).isNotEmpty();
  }

  @Test
  void aTimeThatDoesNotExistIsMadeUpRightAfterTheGap() {
    assertThat(occurrences("30 2 * * *", BERLIN, GAP, 2))
        .containsExactly("2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z");
    assertThat(local("30 2 * * *", GAP, 2)).containsExactly("2026-03-29T03:00", "2026-03-30T02:30");
  }

  @Test
  void severalTimesInAGapAreMadeUpOnce() {
    assertThat(local("0,20,40 2,3 * * *", GAP, 5))
        .containsExactly(
            "2026-03-29T03:00",
            "2026-03-29T03:20",
            "2026-03-29T03:40",
            "2026-03-30T02:00",
            "2026-03-30T02:20");
  }

  @Test
  void timesNextToAGapStay() {
    assertThat(local("59 1 * * *", GAP, 2)).containsExactly("2026-03-29T01:59", "2026-03-30T01:59");
    assertThat(local("0 2 * * *", GAP, 2)).containsExactly("2026-03-29T03:00", "2026-03-30T02:00");
    assertThat(local("0 3 * * *", GAP, 2)).containsExactly("2026-03-29T03:00", "2026-03-30T03:00");
  }

  @Test
  void aTimeThatComesTwiceCountsTheFirstTime() {
    assertThat(occurrences("30 2 * * *", BERLIN, OVERLAP, 2))
        .containsExactly("2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z");
    assertThat(occurrences("0,30 2,3 25 10 *", BERLIN, OVERLAP, 4))
        .containsExactly(
            "2026-10-25T00:00:00Z",
            "2026-10-25T00:30:00Z",
            "2026-10-25T02:00:00Z",
            "2026-10-25T02:30:00Z");
  }

  @Test
  void theSecondPassCountsNotEvenWhenAskedWithinIt() {
    assertThat(occurrences("30 2 * * *", BERLIN, "2026-10-25T01:10:00Z", 1))
        .containsExactly("2026-10-26T01:30:00Z");
  }

  @Test
  void everyHourFollowsElapsedTime() {
    assertThat(occurrences("30 * * * *", BERLIN, "2026-03-28T23:45:00Z", 4))
        .containsExactly(
            "2026-03-29T00:30:00Z",
            "2026-03-29T01:30:00Z",
            "2026-03-29T02:30:00Z",
            "2026-03-29T03:30:00Z");
    assertThat(occurrences("30 * * * *", BERLIN, "2026-10-24T23:45:00Z", 4))
        .containsExactly(
            "2026-10-25T00:30:00Z",
            "2026-10-25T01:30:00Z",
            "2026-10-25T02:30:00Z",
            "2026-10-25T03:30:00Z");
  }

  @Test
  void oddZonesAreRead() {
    // Half an hour back at 02:00, to 01:30.
    assertThat(occurrences("45 1 * * *", "Australia/Lord_Howe", "2026-04-04T00:00:00Z", 2))
        .containsExactly("2026-04-04T14:45:00Z", "2026-04-05T15:15:00Z");
    // A whole day was left out.
    assertThat(occurrences("0 12 * * *", "Pacific/Apia", "2011-12-29T00:00:00Z", 3))
        .containsExactly("2011-12-29T22:00:00Z", "2011-12-30T10:00:00Z", "2011-12-30T22:00:00Z");
    assertThat(occurrences("0 6 * * *", "+05:30", "2026-01-01T00:00:00Z", 1))
        .containsExactly("2026-01-01T00:30:00Z");
  }

  @Test
  void mistakesAreNamed() {
    for (String wrong :
        List.of(
            "",
            "0 3 * *",
            "61 3 * * *",
            "0 24 * * *",
            "0 3 * * x",
            "0 0 3 * * *",
            "@daily",
            "0 3 * * *||0 5 * * *",
            "0 3 * * *|0 5 * * *",
            "0 3 ? * L",
            "*/0 * * * *")) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> CronTimetable.parse(wrong, "UTC"))
          .withMessageContaining("cron is '" + wrong + "'");
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CronTimetable.parse("0 3 * * *", "Berlin"))
        .withMessageContaining("zone is 'Berlin'")
        .withMessageContaining("Europe/Berlin");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CronTimetable.parse("0 0 30 2 *", "UTC").after(Instant.EPOCH))
        .withMessageContaining("never comes");
  }

  @Test
  @Tag("exhaustive")
  void theLastOccurrenceBeforeATimeIsTheOneThatCountingForwardFinds() {
    Instant known = Instant.parse("2026-01-01T03:00:00Z");
    for (String expression : List.of("0 3 * * *", "*/10 * * * *", "0 3 1 * *", "* 3 * * *")) {
      Timetable timetable = CronTimetable.parse(expression, "UTC");
      for (String until :
          List.of(
              "2026-01-01T03:00:00Z",
              "2026-01-01T03:59:00Z",
              "2026-01-02T03:00:00Z",
              "2026-03-29T02:59:59Z",
              "2026-07-01T17:03:00Z")) {
        Instant end = Instant.parse(until);
        Instant counted = known;
        for (Instant next = known; !next.isAfter(end); next = timetable.after(next)) {
          counted = next;
        }
        assertThat(timetable.last(known, end)).as(expression + " " + until).isEqualTo(counted);
      }
    }
  }

  private static List<String> local(String expression, String from, int count) {
    return occurrences(expression, BERLIN, from, count).stream()
        .map(time -> LocalDateTime.ofInstant(Instant.parse(time), ZoneId.of(BERLIN)).toString())
        .toList();
  }

  private static List<String> occurrences(String expression, String zone, String from, int count) {
    Schedule schedule = Schedule.cron("s", expression, NewTask.of("k", "{}")).zone(zone);
    Timetable timetable = Timetable.of(schedule, Instant.EPOCH);
    List<String> times = new ArrayList<>();
    Instant time = Instant.parse(from);
    for (int i = 0; i < count; i++) {
      time = timetable.after(time);
      times.add(time.toString());
    }
    return times;
  }

  /** The five fields as sets of numbers. */
  private record Plain(Set<Integer> minutes, Set<Integer> hours, Days days, Set<Integer> months) {

    private record Days(
        Set<Integer> ofMonth, Set<Integer> ofWeek, boolean anyOfMonth, boolean anyOfWeek) {}

    static Plain of(String expression) {
      String[] fields = expression.split(" ", -1);
      return new Plain(
          set(fields[0], 0, 59),
          set(fields[1], 0, 23),
          new Days(
              set(fields[2], 1, 31),
              set(fields[4], 0, 6),
              fields[2].equals("*"),
              fields[4].equals("*")),
          set(fields[3], 1, 12));
    }

    boolean matches(LocalDateTime time) {
      return minutes.contains(time.getMinute())
          && hours.contains(time.getHour())
          && months.contains(time.getMonthValue())
          && isDay(time);
    }

    private boolean isDay(LocalDateTime time) {
      boolean ofMonth = days.ofMonth().contains(time.getDayOfMonth());
      boolean ofWeek = days.ofWeek().contains(time.getDayOfWeek().getValue() % 7);
      return (days.anyOfMonth() || days.anyOfWeek()) ? (ofMonth && ofWeek) : (ofMonth || ofWeek);
    }

    private static Set<Integer> set(String field, int least, int most) {
      Set<Integer> set = new TreeSet<>();
      for (String part : field.split(",", -1)) {
        String[] range = part.split("/", -1)[0].split("-", -1);
        int step = part.contains("/") ? Integer.parseInt(part.split("/", -1)[1]) : 1;
        int from = range[0].equals("*") ? least : Integer.parseInt(range[0]);
        int to =
            range[0].equals("*") ? most : range.length == 2 ? Integer.parseInt(range[1]) : from;
        for (int value = from; value <= to; value += step) {
          set.add(value);
        }
      }
      return set;
    }
  }
}
