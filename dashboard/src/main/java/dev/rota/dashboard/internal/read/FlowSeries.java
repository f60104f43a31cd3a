package dev.rota.dashboard.internal.read;

import dev.rota.insight.Overview;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * How many tasks came and went in the last quarter of an hour, as far as it was read. Thread-safe.
 */
final class FlowSeries {

  /** A quarter of an hour at a look every two seconds. */
  private static final int MOST = 450;

  private final Deque<Point> points = new ArrayDeque<>();

  private record Point(double at, Overview.Flow flow) {}

  synchronized void add(Overview overview) {
    double at = overview.readAt().toEpochMilli() / 1e3;
    Point last = points.peekLast();
    if (overview.flow().isEmpty() || (last != null && last.at >= at)) {
      return;
    }
    points.addLast(new Point(at, overview.flow().orElseThrow()));
    if (points.size() > MOST) {
      points.removeFirst();
    }
  }

  /** The times, and the tasks that arrived and were claimed a second, as arrays of JSON. */
  synchronized String json() {
    List<Point> all = List.copyOf(points);
    return "["
        + String.join(
            ",",
            column(all, Point::at),
            column(all, point -> rounded(point.flow.arrived())),
            column(all, point -> rounded(point.flow.claimed())))
        + "]";
  }

  private static double rounded(double rate) {
    return Math.round(rate * 10) / 10.0;
  }

  private static String column(Collection<Point> all, Function<Point, Number> value) {
    return all.stream()
        .map(point -> value.apply(point).toString())
        .collect(Collectors.joining(",", "[", "]"));
  }
}
