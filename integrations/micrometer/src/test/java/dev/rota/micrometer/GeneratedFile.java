package dev.rota.micrometer;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The files that are made of the lists of meters, panels and alerts. */
@SuppressWarnings("ImmutableEnumChecker") // Nothing changes them.
enum GeneratedFile {
  ALERTS(
      "integrations/micrometer/src/main/resources/dev/rota/micrometer/prometheus-alerts.yml",
      GeneratedFile::alerts),
  ALERT_TESTS(
      "integrations/micrometer/src/test/resources/dev/rota/micrometer/prometheus-alerts-test.yml",
      GeneratedFile::alertTests),
  DASHBOARD(
      "integrations/micrometer/src/main/resources/dev/rota/micrometer/grafana-dashboard.json",
      GeneratedFile::dashboard);

  private static final JsonMapper JSON = JsonMapper.shared();
  private static final int EVALUATED_AT = 200;

  private final String path;
  private final Supplier<String> content;

  GeneratedFile(String path, Supplier<String> content) {
    this.path = path;
    this.content = content;
  }

  /** Where it is, seen from the root of the project. */
  String path() {
    return path;
  }

  String content() {
    return content.get();
  }

  /** The table of the documentation. */
  static String table() {
    return Arrays.stream(RotaMeter.values())
        .map(
            meter ->
                "| `%s` | %s | %s | %s | %s |\n"
                    .formatted(
                        meter.id(),
                        meter.type().text(),
                        String.join(", ", meter.tags()),
                        meter.description(),
                        meter.source().text()))
        .collect(
            Collectors.joining(
                "", "| meter | type | tags | meaning | source |\n|---|---|---|---|---|\n", ""));
  }

  private static String alerts() {
    return "# Made of the list of alerts; see docs/metrics.md.\ngroups:\n  - name: rota\n    rules:\n"
        + each(GeneratedFile::alert);
  }

  private static String alert(AlertRule alert) {
    return """
          - alert: %s
            expr: %s
            for: %dm
            labels:
              severity: %s
            annotations:
              summary: %s
    """
        .formatted(
            alert.rule().name(),
            quoted(alert.rule().expression()),
            alert.rule().minutes(),
            severity(alert),
            quoted(alert.summary()));
  }

  private static String alertTests() {
    return """
    # Made of the list of alerts: each fires with some values, and not with others.
    rule_files:
      - prometheus-alerts.yml
    evaluation_interval: 1m
    tests:
    """
        + each(alert -> test(alert, AlertRule.Input::firing, fired(alert)))
        + each(alert -> test(alert, AlertRule.Input::quiet, ""));
  }

  private static String test(
      AlertRule alert, Function<AlertRule.Input, String> values, String expected) {
    String series =
        alert.inputs().stream()
            .map(
                input ->
                    "      - series: %s\n        values: %s\n"
                        .formatted(quoted(input.series()), quoted(values.apply(input))))
            .collect(Collectors.joining());
    return "  - interval: 1m\n    input_series:\n"
        + series
        + "    alert_rule_test:\n      - eval_time: %dm\n        alertname: %s\n"
            .formatted(EVALUATED_AT, alert.rule().name())
        + (expected.isEmpty() ? "        exp_alerts: []\n" : "        exp_alerts:\n" + expected);
  }

  private static String fired(AlertRule alert) {
    Map<String, String> labels = new TreeMap<>(alert.labels());
    labels.put("severity", severity(alert));
    return "          - exp_labels:\n"
        + labels.entrySet().stream()
            .map(label -> "              %s: %s\n".formatted(label.getKey(), label.getValue()))
            .collect(Collectors.joining())
        + "            exp_annotations:\n              summary: %s\n"
            .formatted(quoted(alert.summary()));
  }

  private static String each(Function<AlertRule, String> text) {
    return Arrays.stream(AlertRule.values()).map(text).collect(Collectors.joining());
  }

  private static String severity(AlertRule alert) {
    return alert.severity().name().toLowerCase(Locale.ROOT);
  }

  private static String quoted(String text) {
    return "'" + text.replace("'", "''") + "'";
  }

  private static String dashboard() {
    ObjectNode board = JSON.createObjectNode();
    board.put("title", "Rota").put("uid", "rota").put("schemaVersion", 39).put("editable", true);
    board.putArray("tags").add("rota");
    board.putObject("time").put("from", "now-1h").put("to", "now");
    board.put("refresh", "30s");
    ObjectNode source = board.putObject("templating").putArray("list").addObject();
    source.put("name", "datasource").put("type", "datasource").put("query", "prometheus");
    ArrayNode panels = board.putArray("panels");
    String row = "";
    int y = 0;
    int inRow = 0;
    for (Panel panel : Panel.values()) {
      if (!panel.row().equals(row)) {
        y += inRow > 0 ? 8 : 0;
        inRow = 0;
        row = panel.row();
        addRow(panels, row, y++);
      }
      addPanel(panels, panel, inRow * 8, y);
      inRow = (inRow + 1) % 3;
      y += inRow == 0 ? 8 : 0;
    }
    return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(board) + "\n";
  }

  private static void addRow(ArrayNode panels, String title, int y) {
    ObjectNode row = panels.addObject();
    row.put("id", panels.size()).put("type", "row").put("title", title).put("collapsed", false);
    place(row, 24, 1, 0).put("y", y);
  }

  private static void addPanel(ArrayNode panels, Panel panel, int x, int y) {
    ObjectNode node = panels.addObject();
    node.put("id", panels.size()).put("type", "timeseries").put("title", panel.title());
    place(node, 8, 8, x).put("y", y);
    addSource(node);
    node.putObject("fieldConfig").putObject("defaults").put("unit", panel.unit());
    ArrayNode targets = node.putArray("targets");
    for (Panel.Query query : panel.queries()) {
      ObjectNode target = targets.addObject();
      addSource(target);
      target.put("refId", String.valueOf((char) ('A' + targets.size() - 1)));
      target.put("expr", query.expression()).put("legendFormat", query.legend());
    }
  }

  private static ObjectNode place(ObjectNode node, int width, int height, int x) {
    return node.putObject("gridPos").put("w", width).put("h", height).put("x", x);
  }

  private static void addSource(ObjectNode node) {
    node.putObject("datasource").put("type", "prometheus").put("uid", "${datasource}");
  }
}
