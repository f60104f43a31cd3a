package dev.rota.cli.common;

import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Prints a list as one JSON array or as a table.
 *
 * @param fields the JSON object of an element
 * @param table the table of all elements
 */
public record Listing<T>(Function<T, Map<String, Object>> fields, Function<List<T>, Table> table) {

  public void print(List<T> all, boolean json, PrintStream out) {
    if (json) {
      out.println(Json.render(all.stream().map(fields).toList()));
    } else {
      table.apply(all).print(out);
    }
  }
}
