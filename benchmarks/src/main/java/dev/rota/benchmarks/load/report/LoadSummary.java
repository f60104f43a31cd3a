package dev.rota.benchmarks.load.report;

import dev.rota.benchmarks.load.LoadResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/** The printed results of one run, or of several over different numbers of tenants. */
public final class LoadSummary {

  private static final List<Column> COLUMNS =
      List.of(
          new Column("tenants", r -> count(r.settings().tenancy().tenants())),
          new Column("enqueued", r -> rate(r.flow().enqueuedPerSecond())),
          new Column("settled", r -> rate(r.flow().settledPerSecond())),
          new Column("backlog", r -> count(r.flow().backlog())),
          new Column("drained in", r -> seconds(r.flow().drainSeconds())),
          new Column("p50", r -> millis(r.latency().p50())),
          new Column("p99", r -> millis(r.latency().p99())),
          new Column("p99.9", r -> millis(r.latency().p999())),
          new Column("max", r -> millis(r.latency().max())),
          new Column("log per task", r -> count(r.logBytesPerTask()) + " B"),
          new Column("rotations", r -> count(r.server().rotations())),
          new Column("postponed", r -> count(r.server().postponed())),
          new Column("tasks in all", r -> count(r.audit().enqueued())),
          new Column("lost", r -> count(r.audit().lost())),
          new Column("duplicated", r -> count(r.audit().duplicated())),
          new Column("unsent", r -> count(r.audit().unsent())));

  private final List<LoadResult> results;

  public LoadSummary(List<LoadResult> results) {
    this.results = results;
  }

  private record Column(String name, Function<LoadResult, String> value) {}

  /** The fields of the one run; of several runs a list of all, and their common fields. */
  public Map<String, Object> fields() {
    LoadResult first = results.get(0);
    if (results.size() == 1) {
      return first.fields();
    }
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("runs", results.stream().map(LoadResult::fields).toList());
    fields.put("lowestToHighest", Math.round(lowestToHighest() * 1_000) / 1_000.0);
    fields.put("lost", results.stream().mapToLong(r -> r.audit().lost()).sum());
    fields.put("duplicated", results.stream().mapToLong(r -> r.audit().duplicated()).sum());
    fields.put("postgres", first.server().version());
    fields.put("durable", results.stream().allMatch(r -> r.server().durable()));
    fields.put("cores", LoadResult.cores());
    return fields;
  }

  /**
   * The rows of the table. One run: a row for each value. Several: a row for each run, under a row
   * of names.
   */
  public List<List<String>> rows() {
    if (results.size() == 1) {
      LoadResult only = results.get(0);
      return COLUMNS.stream().map(c -> List.of(c.name, c.value.apply(only))).toList();
    }
    List<List<String>> rows = new ArrayList<>();
    rows.add(COLUMNS.stream().map(Column::name).toList());
    for (LoadResult result : results) {
      rows.add(COLUMNS.stream().map(column -> column.value.apply(result)).toList());
    }
    return rows;
  }

  public String server() {
    LoadResult.Server server = results.get(0).server();
    return "PostgreSQL "
        + server.version()
        + (server.durable() ? ", durable commits, " : ", commits NOT durable, ")
        + LoadResult.cores()
        + " cores";
  }

  public String verdict() {
    return results.stream().allMatch(result -> result.audit().intact())
        ? "Every task was handled once: none was lost, none handled twice."
        : "FAILED: tasks were lost or handled twice.";
  }

  private double lowestToHighest() {
    double[] rates =
        results.stream().mapToDouble(r -> r.flow().settledPerSecond()).sorted().toArray();
    return rates[0] / Math.max(rates[rates.length - 1], 1e-9);
  }

  private static String count(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  private static String rate(double perSecond) {
    return count(Math.round(perSecond)) + "/s";
  }

  private static String seconds(double seconds) {
    return String.format(Locale.ROOT, "%.1f s", seconds);
  }

  private static String millis(double millis) {
    return String.format(Locale.ROOT, millis < 10 ? "%.2f ms" : "%,.0f ms", millis);
  }
}
