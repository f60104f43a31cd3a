package dev.rota.benchmarks.load.report;

import dev.rota.benchmarks.load.LatencySummary;
import dev.rota.benchmarks.load.LoadResult;
import dev.rota.benchmarks.load.OccupiedBytes;
import dev.rota.benchmarks.load.Sample;
import dev.rota.benchmarks.load.SizeSample;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToDoubleBiFunction;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;
import org.knowm.xchart.XYChart;

/** Creates the charts of one run, and the one of several. */
final class Charts {

  private static final String SECONDS = "seconds since the first arrival";
  private static final String ROTATIONS = "ring switches, all tenants together";
  private static final double MEGABYTE = 1 << 20;

  private Charts() {}

  static List<Chart> ofRun(LoadResult result) {
    List<Sample> samples = result.series().samples();
    List<Chart> charts = new ArrayList<>();
    charts.add(throughput(samples));
    charts.add(backlog(samples));
    charts.add(latencyOverTime(samples));
    charts.add(percentiles(result.series().latencies()));
    charts.add(tableSizes(result.series().sizes()));
    charts.add(catalogSize(result.series().sizes()));
    return charts;
  }

  static Chart ofTenants(List<LoadResult> results) {
    List<Double> tenants =
        numbers(results, result -> (double) result.settings().tenancy().tenants());
    XYChart chart = ChartStyle.chart("Throughput by number of tenants", "tenants", "tasks/s");
    ChartStyle.addPoints(
        chart, "enqueued", tenants, numbers(results, result -> result.flow().enqueuedPerSecond()));
    ChartStyle.addPoints(
        chart, "settled", tenants, numbers(results, result -> result.flow().settledPerSecond()));
    chart.getStyler().setXAxisLogarithmic(true).setXAxisLogarithmicDecadeOnly(true);
    chart.getStyler().setXAxisTickLabelsFormattingFunction(ChartStyle::shortened);
    ChartStyle.beginAtZero(chart);
    return new Chart("tenants", "Tasks per second in and out, for the same load in all.", chart);
  }

  private static Chart throughput(List<Sample> samples) {
    XYChart chart = ChartStyle.chart("Throughput", SECONDS, "tasks/s");
    addRate(chart, "enqueued", samples, Sample::enqueuedPerSecondSince);
    addRate(chart, "settled", samples, Sample::settledPerSecondSince);
    ChartStyle.beginAtZero(chart);
    return new Chart(
        "throughput", "Tasks per second in and out, from warm-up to the end of the drain.", chart);
  }

  private static void addRate(
      XYChart chart,
      String name,
      List<Sample> samples,
      ToDoubleBiFunction<Sample, Sample> rateSince) {
    List<Double> rates = new ArrayList<>();
    for (int i = 1; i < samples.size(); i++) {
      rates.add(rateSince.applyAsDouble(samples.get(i), samples.get(i - 1)));
    }
    List<Sample> later = samples.subList(Math.min(1, samples.size()), samples.size());
    ChartStyle.addCurve(chart, name, numbers(later, Sample::seconds), rates);
  }

  private static Chart backlog(List<Sample> samples) {
    XYChart chart = ChartStyle.chart("Backlog", SECONDS, "tasks");
    ChartStyle.addCurve(
        chart,
        "enqueued and not yet handled",
        numbers(samples, Sample::seconds),
        numbers(samples, sample -> (double) sample.counts().backlog()));
    ChartStyle.beginAtZero(chart);
    return new Chart("backlog", "Tasks enqueued and not yet handled.", chart);
  }

  private static Chart latencyOverTime(List<Sample> samples) {
    List<Sample> measured = samples.stream().filter(s -> s.latency().tasks() > 0).toList();
    XYChart chart =
        ChartStyle.chart("Latency from enqueue to handler start", SECONDS, "milliseconds");
    addLatency(chart, "median", measured, LatencySummary::p50);
    addLatency(chart, "99 %", measured, LatencySummary::p99);
    addLatency(chart, "longest", measured, LatencySummary::max);
    ChartStyle.logarithmic(chart);
    return new Chart(
        "latency",
        "Of the tasks that handlers began with in each interval, by a logarithmic scale.",
        chart);
  }

  private static void addLatency(
      XYChart chart,
      String name,
      List<Sample> measured,
      ToDoubleFunction<LatencySummary> percentile) {
    ChartStyle.addCurve(
        chart,
        name,
        numbers(measured, Sample::seconds),
        numbers(measured, sample -> visible(percentile.applyAsDouble(sample.latency()))));
  }

  private static Chart percentiles(Histogram nanos) {
    List<Double> share = new ArrayList<>();
    List<Double> millis = new ArrayList<>();
    for (double x = 1; x <= Math.max(10, nanos.getTotalCount()); x *= Math.pow(10, 0.125)) {
      share.add(x);
      millis.add(visible(LatencySummary.millisAt(nanos, 100 * (1 - 1 / x))));
    }
    XYChart chart = ChartStyle.chart("Latency by percentile", "percentile", "milliseconds");
    ChartStyle.addCurve(chart, "enqueue to handler start", share, millis);
    chart.getStyler().setXAxisLogarithmic(true).setXAxisLogarithmicDecadeOnly(true);
    chart.getStyler().setXAxisTickLabelsFormattingFunction(Charts::percentile);
    ChartStyle.logarithmic(chart);
    return new Chart(
        "percentiles", "How long all but the slowest tasks of the window waited.", chart);
  }

  private static Chart tableSizes(List<SizeSample> sizes) {
    XYChart chart = ChartStyle.chart("Size of the tables over rotations", ROTATIONS, "MB");
    addSize(chart, "history", sizes, OccupiedBytes::history);
    addSize(chart, "rings", sizes, OccupiedBytes::rings);
    addSize(chart, "ledger", sizes, OccupiedBytes::ledger);
    ChartStyle.beginAtZero(chart);
    return new Chart("table-size", "With indexes, of all tenants together.", chart);
  }

  private static Chart catalogSize(List<SizeSample> sizes) {
    XYChart chart = ChartStyle.chart("Size of the catalog over rotations", ROTATIONS, "MB");
    addSize(chart, "pg_class, pg_attribute and the rest", sizes, OccupiedBytes::catalog);
    ChartStyle.beginAtZero(chart);
    return new Chart("catalog-size", "All tables of pg_catalog, with their indexes.", chart);
  }

  private static void addSize(
      XYChart chart, String name, List<SizeSample> sizes, Function<OccupiedBytes, Long> part) {
    ChartStyle.addCurve(
        chart,
        name,
        numbers(sizes, sample -> (double) sample.rotations()),
        numbers(sizes, sample -> part.apply(sample.sizes()) / MEGABYTE));
    chart.getStyler().setXAxisTickLabelsFormattingFunction(ChartStyle::shortened);
  }

  /** Clips a value for a logarithmic scale, which has no zero. */
  private static double visible(double millis) {
    return Math.max(1e-3, millis);
  }

  /** The label of the point that 1 of x tasks exceeds: 10 is 90 %, 1,000 is 99.9 %. */
  private static String percentile(double x) {
    return ChartStyle.exact(100 * (1 - 1 / x)) + " %";
  }

  private static <T> List<Double> numbers(List<T> items, Function<T, Double> number) {
    return items.stream().map(number).toList();
  }
}
