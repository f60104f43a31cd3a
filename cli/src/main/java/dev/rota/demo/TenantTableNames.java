package dev.rota.demo;

import static org.jooq.impl.DSL.name;

import java.util.List;
import org.jooq.Name;

/**
 * The tables of one tenant.
 *
 * @param pending the ring and the wait table
 * @param history all segments
 */
record TenantTableNames(List<Name> pending, List<Name> history) {

  static TenantTableNames of(String schema, List<String> tables) {
    return new TenantTableNames(
        starting(schema, tables, "task_init_", "task_wait_"),
        starting(schema, tables, "task_hist_"));
  }

  private static List<Name> starting(String schema, List<String> tables, String... prefixes) {
    return tables.stream()
        .filter(table -> List.of(prefixes).stream().anyMatch(table::startsWith))
        .map(table -> name(schema, table))
        .toList();
  }
}
