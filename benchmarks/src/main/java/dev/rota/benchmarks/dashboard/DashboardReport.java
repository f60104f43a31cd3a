package dev.rota.benchmarks.dashboard;

import dev.rota.benchmarks.dashboard.ServerTime.Shares;
import dev.rota.benchmarks.insight.Spread;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What the pages cost. Not thread-safe. */
final class DashboardReport {

  private final int tenants;
  private final long attempts;
  private final int calls;
  private final List<Times> pages = new ArrayList<>();
  private @Nullable Watched watched;
  private @Nullable Alone alone;

  /** The times of one page. */
  private record Times(Page page, double first, Spread spread) {

    Map<String, Object> fields() {
      Map<String, Object> fields = new LinkedHashMap<>();
      fields.put("address", page.address());
      fields.put("first", Spread.rounded(first));
      fields.putAll(spread.fields());
      return fields;
    }

    List<String> cells() {
      return Stream.concat(Stream.of(page.name(), Spread.text(first)), spread.cells().stream())
          .toList();
    }
  }

  /**
   * What viewers cost.
   *
   * @param viewers how many there are
   * @param renewals how often a page was renewed
   * @param statements how many calls to the database that took
   * @param shares the time of the database
   */
  record Watched(int viewers, long renewals, long statements, Shares shares) {

    Map<String, Object> fields() {
      Map<String, Object> fields = new LinkedHashMap<>();
      fields.put("viewers", viewers);
      fields.put("renewals", renewals);
      fields.put("statements", statements);
      fields.put("processorShare", rounded(shares.processor()));
      fields.put("activeShare", rounded(shares.active()));
      return fields;
    }

    List<String> lines() {
      return List.of(
          viewers + " viewers: renewals " + renewals + ", statements " + statements,
          "time of the processor in the database: " + percent(shares.processor()),
          "time of statements in the database: " + percent(shares.active()));
    }
  }

  /**
   * What a dashboard costs that no viewer looks at.
   *
   * @param statements how many calls to the database it made
   * @param sessions how many of its sessions did anything
   */
  record Alone(long statements, long sessions) {

    Map<String, Object> fields() {
      Map<String, Object> fields = new LinkedHashMap<>();
      fields.put("statements", statements);
      fields.put("sessionsTouched", sessions);
      return fields;
    }

    List<String> lines() {
      return List.of(
          "no viewer: statements " + statements + ", sessions that did anything " + sessions);
    }
  }

  DashboardReport(int tenants, long attempts, int calls) {
    this.tenants = tenants;
    this.attempts = attempts;
    this.calls = calls;
  }

  int calls() {
    return calls;
  }

  void add(Page page, double first, Spread spread) {
    pages.add(new Times(page, first, spread));
  }

  void watched(Watched found) {
    watched = found;
  }

  void alone(Alone found) {
    alone = found;
  }

  Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("tenants", tenants);
    fields.put("attempts", attempts);
    fields.put("calls", calls);
    Map<String, Object> times = new LinkedHashMap<>();
    pages.forEach(each -> times.put(each.page.name(), each.fields()));
    fields.put("pages", times);
    if (watched != null) {
      fields.put("watched", watched.fields());
    }
    if (alone != null) {
      fields.put("alone", alone.fields());
    }
    return fields;
  }

  List<List<String>> rows() {
    List<List<String>> rows = new ArrayList<>();
    rows.add(Stream.concat(Stream.of("", "first"), Spread.HEADS.stream()).toList());
    pages.forEach(each -> rows.add(each.cells()));
    return rows;
  }

  /** What viewers cost, in words. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    if (watched != null) {
      lines.addAll(watched.lines());
    }
    if (alone != null) {
      lines.addAll(alone.lines());
    }
    return lines;
  }

  private static double rounded(double share) {
    return Math.round(share * 100_000) / 100_000.0;
  }

  private static String percent(double share) {
    return String.format(Locale.ROOT, "%.2f %% of a core", 100 * share);
  }
}
