package dev.rota.cli.common;

import dev.rota.admin.Finding;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/** Formats the findings of a preflight. */
public final class FindingText {

  private FindingText() {}

  /** Formats each finding as one line. */
  public static Stream<String> lines(List<Finding> findings) {
    return findings.stream().map(FindingText::line);
  }

  static String line(Finding finding) {
    return severity(finding) + ": " + finding;
  }

  public static List<Map<String, String>> fields(List<Finding> findings) {
    return findings.stream().map(FindingText::fields).toList();
  }

  private static Map<String, String> fields(Finding finding) {
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("check", finding.check());
    fields.put("severity", severity(finding));
    fields.put("problem", finding.problem());
    fields.put("consequence", finding.consequence());
    fields.put("advice", finding.advice());
    return fields;
  }

  private static String severity(Finding finding) {
    return finding.severity().name().toLowerCase(Locale.ROOT);
  }
}
