package dev.rota.limits.internal;

import dev.rota.internal.log.Logs;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.text.SafeText;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Leaves out rows of rules that cannot be read, so that all others hold. SQL may have written them
 * before the table checked them. It warns of each once, and again if it was gone meanwhile.
 * Thread-safe.
 */
final class UnreadableRules {

  private static final Logger log = Logs.of(UnreadableRules.class);

  private final RegistryTables tables;
  private Set<String> warned = Set.of();

  UnreadableRules(RegistryTables tables) {
    this.tables = tables;
  }

  /**
   * A row that was read.
   *
   * @param rule its rule; null if it cannot be read
   * @param problem names the row and says why it cannot be read; null if it can
   */
  record Row(@Nullable RuleRow rule, @Nullable String problem) {}

  /** Reads a row, in the order of the columns of the statement. */
  Row read(ResultSet row) throws SQLException {
    try {
      return new Row(RuleRow.read(row), null);
    } catch (RuntimeException e) {
      return new Row(null, place(row) + " of " + scope(row) + ": " + e.getMessage());
    }
  }

  private String place(ResultSet row) throws SQLException {
    int id = row.getInt("id");
    return row.wasNull()
        ? "the row of " + Sql.render(tables.kindPauses())
        : "row " + id + " of " + Sql.render(tables.rules());
  }

  /** The text of its scope, even if there can be no such scope. */
  private static String scope(ResultSet row) throws SQLException {
    List<String> parts = new ArrayList<>();
    add(parts, "tenant:", row.getString(9));
    add(parts, "plan:", row.getString(2));
    add(parts, "kind:", row.getString(3));
    add(parts, "priority:", row.getString(4));
    return parts.isEmpty() ? "all" : String.join("/", parts);
  }

  private static void add(List<String> parts, String name, @Nullable String value) {
    if (value != null) {
      parts.add(name + SafeText.of(value));
    }
  }

  /** Returns the rules of some rows, and warns of the others. */
  List<RuleRow> without(List<Row> rows) {
    List<RuleRow> rules = new ArrayList<>(rows.size());
    Set<String> problems = new LinkedHashSet<>();
    for (Row row : rows) {
      if (row.rule != null) {
        rules.add(row.rule);
      } else if (row.problem != null) {
        problems.add(row.problem);
      }
    }
    warn(problems);
    return rules;
  }

  private synchronized void warn(Set<String> problems) {
    for (String problem : problems) {
      if (!warned.contains(problem)) {
        log.warn("Rota leaves out {}. Correct or delete this row; all other rules hold", problem);
      }
    }
    warned = problems;
  }
}
