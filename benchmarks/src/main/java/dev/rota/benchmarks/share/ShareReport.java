package dev.rota.benchmarks.share;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * What tenants got of the handlers' time, beside what their weights entitle them to.
 *
 * @param settings the settings of the trial
 * @param windows the measured windows
 */
record ShareReport(ShareSettings settings, List<Window> windows) {

  /** The run time of each tenant in a window, and its length, in seconds. */
  record Window(List<Double> seconds, double length) {

    double sum() {
      return seconds.stream().mapToDouble(Double::doubleValue).sum();
    }
  }

  private record Group(double weight, Duration run) {}

  /** What a tenant got in a window, and what it should have got, in seconds. */
  private record Part(int window, int tenant, double is, double shouldBe) {

    double errorPercent() {
      return 100 * Math.abs(is / shouldBe - 1);
    }
  }

  /** The largest error of a tenant in a window, in percent of its share. */
  double worstErrorPercent() {
    return worst().errorPercent();
  }

  /** The mean of these errors. */
  double meanErrorPercent() {
    return eachPart().mapToDouble(Part::errorPercent).average().orElse(0);
  }

  private Part worst() {
    return eachPart().max(Comparator.comparingDouble(Part::errorPercent)).orElseThrow();
  }

  private Stream<Part> eachPart() {
    return IntStream.range(0, windows.size()).boxed().flatMap(this::partsOf);
  }

  private Stream<Part> partsOf(int number) {
    Window window = windows.get(number);
    double all = window.sum();
    return IntStream.range(0, settings.tenants())
        .mapToObj(i -> new Part(number, i, window.seconds.get(i), all * settings.partOf(i)));
  }

  /**
   * The largest error in a window of all tenants of one weight and run time together. A tenant of
   * little weight has a dozen long tasks in a window, and is a whole one off at once.
   */
  double worstGroupErrorPercent() {
    return windows.stream()
        .flatMapToDouble(
            window -> groups().stream().mapToDouble(group -> error(window, isIn(group))))
        .max()
        .orElse(0);
  }

  private double error(Window window, IntPredicate which) {
    double expected = window.sum() * parts(which);
    return 100 * Math.abs(seconds(window, which) / expected - 1);
  }

  private static double seconds(Window window, IntPredicate which) {
    return IntStream.range(0, window.seconds.size())
        .filter(which)
        .mapToDouble(i -> window.seconds.get(i))
        .sum();
  }

  private double parts(IntPredicate which) {
    return IntStream.range(0, settings.tenants()).filter(which).mapToDouble(settings::partOf).sum();
  }

  private IntPredicate isIn(Group group) {
    return tenant -> groupOf(tenant).equals(group);
  }

  private Group groupOf(int tenant) {
    return new Group(settings.weightOf(tenant), settings.runOf(tenant));
  }

  private List<Group> groups() {
    return IntStream.range(0, settings.tenants()).mapToObj(this::groupOf).distinct().toList();
  }

  /** The part of the handlers' time in which they ran tasks. */
  double handlersBusy() {
    double ran = windows.stream().mapToDouble(Window::sum).sum();
    double length = windows.stream().mapToDouble(Window::length).sum();
    return ran / length / settings.workers().all();
  }

  /** The part of all run time that a group got, over all windows. */
  private double got(Group group) {
    double all = windows.stream().mapToDouble(Window::sum).sum();
    return windows.stream().mapToDouble(window -> seconds(window, isIn(group))).sum() / all;
  }

  /** The groups as a table. */
  List<List<String>> rows() {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("weight", "run", "should be", "is"));
    for (Group group : groups()) {
      rows.add(
          List.of(
              Double.toString(group.weight),
              group.run.toNanos() / 1e6 + " ms",
              percent(parts(isIn(group))),
              percent(got(group))));
    }
    return rows;
  }

  /** The figures of the whole trial as one line. */
  String summary() {
    return String.format(
        Locale.ROOT,
        "worst error of a tenant %.1f %%, mean %.1f %%; of a group %.1f %%; handlers busy %.1f %%",
        worstErrorPercent(),
        meanErrorPercent(),
        worstGroupErrorPercent(),
        100 * handlersBusy());
  }

  Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("tenants", settings.tenants());
    fields.put("processes", settings.workers().processes());
    fields.put("handlers", settings.workers().all());
    fields.put("windows", windows.size());
    fields.put("windowSeconds", settings.pace().window().toMillis() / 1_000.0);
    fields.put("worstErrorPercent", rounded(worstErrorPercent()));
    fields.put("worst", fields(worst()));
    fields.put("meanErrorPercent", rounded(meanErrorPercent()));
    fields.put("worstGroupErrorPercent", rounded(worstGroupErrorPercent()));
    fields.put("handlersBusy", rounded(handlersBusy()));
    fields.put("groups", groups().stream().map(this::fields).toList());
    return fields;
  }

  private Map<String, Object> fields(Part part) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("window", part.window);
    fields.put("weight", settings.weightOf(part.tenant));
    fields.put("runMillis", settings.runOf(part.tenant).toNanos() / 1e6);
    fields.put("shouldBeSeconds", rounded(part.shouldBe));
    fields.put("isSeconds", rounded(part.is));
    return fields;
  }

  private Map<String, Object> fields(Group group) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("weight", group.weight);
    fields.put("runMillis", group.run.toNanos() / 1e6);
    fields.put("shouldBe", rounded(parts(isIn(group))));
    fields.put("is", rounded(got(group)));
    return fields;
  }

  private static String percent(double part) {
    return String.format(Locale.ROOT, "%.2f %%", 100 * part);
  }

  private static double rounded(double value) {
    return Math.round(value * 10_000) / 10_000.0;
  }
}
