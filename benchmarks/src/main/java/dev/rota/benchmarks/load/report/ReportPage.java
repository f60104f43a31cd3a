package dev.rota.benchmarks.load.report;

import dev.rota.benchmarks.load.LoadResult;
import java.util.List;
import java.util.Map;

/** One self-contained page, readable without network, without scripts, and by XML parsers. */
final class ReportPage {

  private static final String STYLE =
      """
      body { margin: 2rem auto; max-width: 60rem; padding: 0 1rem; color: #24292f;
             background: #fff; font: 16px/1.5 system-ui, sans-serif; }
      h1 { margin-bottom: .25rem; }
      h2 { margin-top: 2.5rem; border-bottom: 1px solid #e1e4e8; }
      .scroll { overflow-x: auto; }
      table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
      td, th { padding: .25rem .75rem .25rem 0; text-align: left; white-space: nowrap; }
      tr + tr > * { border-top: 1px solid #e1e4e8; }
      figure { margin: 1.5rem 0; }
      figcaption { color: #57606a; }
      svg { width: 100%; height: auto; }
      .verdict { font-weight: 600; }
      """;

  private final List<LoadResult> results;
  private final Map<String, List<Chart>> sections;

  ReportPage(List<LoadResult> results, Map<String, List<Chart>> sections) {
    this.results = results;
    this.sections = sections;
  }

  String html() {
    StringBuilder html = new StringBuilder("<!DOCTYPE html>\n<html lang=\"en\">\n");
    html.append("<head>\n<meta charset=\"utf-8\"/>\n<title>Rota under load</title>\n");
    html.append("<meta name=\"viewport\" content=\"width=device-width\"/>\n");
    html.append("<style>\n").append(STYLE).append("</style>\n</head>\n<body>\n");
    html.append("<h1>Rota under load</h1>\n");
    LoadSummary summary = new LoadSummary(results);
    html.append("<p>").append(escaped(summary.server())).append("</p>\n");
    html.append("<p class=\"verdict\">").append(escaped(summary.verdict())).append("</p>\n");
    appendTable(html, summary.rows());
    html.append("<h2>Settings</h2>\n");
    appendTable(html, settings());
    sections.forEach((heading, charts) -> appendSection(html, heading, charts));
    return html.append("</body>\n</html>\n").toString();
  }

  private List<List<String>> settings() {
    return results.get(0).settings().fields().entrySet().stream()
        .filter(field -> results.size() == 1 || !field.getKey().equals("tenants"))
        .map(field -> List.of(field.getKey(), field.getValue().toString()))
        .toList();
  }

  private static void appendSection(StringBuilder html, String heading, List<Chart> charts) {
    html.append("<h2>").append(escaped(heading)).append("</h2>\n");
    for (Chart chart : charts) {
      html.append("<figure id=\"").append(escaped(chart.file())).append("\">\n");
      html.append(inPage(chart)).append("\n<figcaption>");
      html.append(escaped(chart.caption())).append("</figcaption>\n</figure>\n");
    }
  }

  private static void appendTable(StringBuilder html, List<List<String>> rows) {
    html.append("<div class=\"scroll\"><table>\n");
    for (List<String> row : rows) {
      html.append("<tr>");
      row.forEach(cell -> html.append("<td>").append(escaped(cell)).append("</td>"));
      html.append("</tr>\n");
    }
    html.append("</table></div>\n");
  }

  /**
   * Formats a chart for a page. A page declares its own namespaces; names within a drawing are
   * those of that drawing.
   */
  private static String inPage(Chart chart) {
    return SvgWriter.svg(chart)
        .replaceAll(" xmlns(:xlink)?=\"[^\"]*\"", "")
        .replaceAll("(id=\"|url\\(#)", "$1" + chart.file() + "-");
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
  }
}
