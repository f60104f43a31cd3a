package dev.rota.benchmarks.load.report;

import dev.rota.benchmarks.load.LoadResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Writes the page of charts, and each chart to a separate file. */
public final class Report {

  public static final String PAGE = "report.html";

  private final List<LoadResult> results;

  public Report(List<LoadResult> results) {
    this.results = results;
  }

  public void write(Path directory) throws IOException {
    Map<String, List<Chart>> sections = sections();
    for (List<Chart> charts : sections.values()) {
      for (Chart chart : charts) {
        Files.writeString(directory.resolve(chart.file() + ".svg"), SvgWriter.svg(chart));
      }
    }
    Files.writeString(directory.resolve(PAGE), new ReportPage(results, sections).html());
  }

  /** The charts by their headings. */
  private Map<String, List<Chart>> sections() {
    Map<String, List<Chart>> sections = new LinkedHashMap<>();
    if (results.size() == 1) {
      sections.put("Charts", Charts.ofRun(results.get(0)));
      return sections;
    }
    sections.put("By number of tenants", List.of(Charts.ofTenants(results)));
    for (LoadResult result : results) {
      int tenants = result.settings().tenancy().tenants();
      List<Chart> charts = new ArrayList<>();
      Charts.ofRun(result).forEach(chart -> charts.add(chart.withPrefix(tenants + "-tenants-")));
      sections.put("Tenants: " + tenants, charts);
    }
    return sections;
  }
}
