package dev.rota.crash.points;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.crash.CrashRun;
import dev.rota.crash.CrashTest;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Breaks every round trip to the database of all operations of users and daemons, in every way. A
 * caller that continues as documented loses no task and runs none twice, and nothing stays open.
 */
@CrashTest
@ParameterizedClass
@MethodSource("versions")
class CrashPointsTest {

  private static final int MOST_FAILURES = 25;
  private static final int ATTEMPTS = 3;

  @Parameter int major;

  static IntStream versions() {
    return CrashRun.isSoak() ? IntStream.rangeClosed(15, 18) : IntStream.of(18);
  }

  /** Broken connections are what this is about, and each would be told with its stack. */
  @BeforeAll
  static void tellNothingOfBrokenConnections() {
    Loggers.onlyErrorsOf("com.zaxxer.hikari", "dev.rota");
  }

  @AfterAll
  static void tellAgain() {
    Loggers.asUsual("com.zaxxer.hikari", "dev.rota");
  }

  /**
   * A BEGIN fails only where there is one. A server that refuses and goes on is the mildest of all,
   * and left to the long run. So is a process that is killed before a call, if it is killed anyway
   * after another right before on the same connection.
   */
  private static Set<Fault> faults(boolean begins, boolean killedAnyway) {
    Set<Fault> faults = EnumSet.allOf(Fault.class);
    if (!begins) {
      faults.remove(Fault.BEGIN_FAILS);
    }
    if (!CrashRun.isSoak()) {
      faults.removeAll(EnumSet.of(Fault.REFUSED, Fault.REFUSED_THEN_CUT));
      if (killedAnyway) {
        faults.remove(Fault.KILLED_BEFORE);
      }
    }
    return faults;
  }

  /**
   * Selects the points to break. The short run breaks repetitions in a lengthy scenario once: of
   * all equal calls behind equal calls the second, when some work is done and some is left.
   */
  private static List<Point> points(CrashScenario scenario, List<Point> all) {
    if (CrashRun.isSoak() || !scenario.lengthy()) {
      return all;
    }
    Map<String, List<Point>> alike = new LinkedHashMap<>();
    String before = "";
    for (Point point : all) {
      alike.computeIfAbsent(before + ", " + point.calls(), key -> new ArrayList<>()).add(point);
      before = point.calls();
    }
    return alike.values().stream().map(each -> each.get(Math.min(1, each.size() - 1))).toList();
  }

  @Test
  void nothingIsLostWhereverItBreaks() throws Exception {
    Map<String, Integer> trips = new LinkedHashMap<>();
    Map<Fault, Integer> runs = new TreeMap<>();
    List<AssertionError> failures = new ArrayList<>();
    int broken;
    try (PointsEnvironment server = new PointsEnvironment(major)) {
      for (CrashScenario scenario : chosen()) {
        long startedAt = System.nanoTime();
        CrashPointRun unbroken = CrashPointRun.unbroken(server, scenario);
        List<Point> points = points(scenario, unbroken.perform());
        Map<Point, Point> previous = unbroken.tap().previous();
        trips.put(scenario.name(), points.size());
        for (Point point : points) {
          boolean killedAnyway =
              previous.containsKey(point) && points.contains(previous.get(point));
          boolean begins = unbroken.tap().beginnings().contains(point);
          for (Fault fault : faults(begins, killedAnyway)) {
            runs.merge(fault, 1, Integer::sum);
            run(server, scenario, point, fault, failures);
          }
        }
        long millis = (System.nanoTime() - startedAt) / 1_000_000;
        System.out.printf(
            "\"%s\": %d round trips, %d ms%n", scenario.name(), points.size(), millis);
      }
      broken = (int) server.proxy().brokenBegins();
    }
    CrashRun.record("crash-points-" + major, figures(trips, runs));
    assertThat(failures).withFailMessage(() -> report(failures)).isEmpty();
    assertThat(broken).as("BEGINs that failed").isEqualTo(runs.getOrDefault(Fault.BEGIN_FAILS, 0));
  }

  /** All, or those whose names the property lists, separated by semicolons. */
  private static List<CrashScenario> chosen() {
    List<String> names = List.of(System.getProperty("rota.crash.scenarios", "").split(";"));
    return Scenarios.all().stream()
        .filter(each -> names.contains("") || names.contains(each.name()))
        .toList();
  }

  /**
   * Breaks a round trip. A background thread may have read the same just before, so that the
   * scenario does not need its round trip: such a run proves nothing and is repeated.
   */
  private static void run(
      PointsEnvironment server,
      CrashScenario scenario,
      Point point,
      Fault fault,
      List<AssertionError> failures) {
    AssertionError failure = failure(server, scenario, point, fault);
    if (failure != null) {
      failures.add(failure);
      if (failures.size() == MOST_FAILURES) {
        throw new AssertionError(report(failures), failure);
      }
    }
  }

  private static @Nullable AssertionError failure(
      PointsEnvironment server, CrashScenario scenario, Point point, Fault fault) {
    for (int attempt = 1; ; attempt++) {
      CrashPointRun run = new CrashPointRun(server, scenario, point, fault);
      try {
        run.perform();
        return null;
      } catch (AssertionError e) {
        if (!run.hasMissed() || attempt == ATTEMPTS) {
          return e;
        }
      }
    }
  }

  private static String report(List<AssertionError> failures) {
    StringBuilder report = new StringBuilder(failures.size() + " runs failed:");
    failures.forEach(failure -> report.append('\n').append(failure.getMessage()));
    return report.toString();
  }

  private static Map<String, Object> figures(Map<String, Integer> trips, Map<Fault, Integer> runs) {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("scenarios", trips.size());
    figures.put("roundTrips", trips.values().stream().mapToInt(Integer::intValue).sum());
    figures.put("runs", runs.values().stream().mapToInt(Integer::intValue).sum());
    figures.put("runsByFault", runs);
    figures.put("roundTripsByScenario", trips);
    return figures;
  }
}
