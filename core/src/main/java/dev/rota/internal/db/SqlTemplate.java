package dev.rota.internal.db;

import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jooq.Name;

/**
 * A named statement with places for names of tables, such as <code>{slot}</code>. Values are always
 * bound, never put into the text.
 *
 * <p>Templates are constants, told apart by identity.
 */
public final class SqlTemplate {

  private static final Pattern PLACE = Pattern.compile("\\{([a-z_]+)}");

  private final String call;
  private final String text;

  /**
   * A statement.
   *
   * @param call the name under which it goes through the seam
   * @param text the statement
   */
  public SqlTemplate(String call, String text) {
    this.call = call;
    this.text = text;
  }

  public String call() {
    return call;
  }

  public String text() {
    return text;
  }

  /** Fills the one place of the statement. */
  public String on(String place, Name table) {
    return on(Map.of(place, table));
  }

  /** Fills the two places of the statement. */
  public String on(String place, Name table, String otherPlace, Name otherTable) {
    return on(Map.of(place, table, otherPlace, otherTable));
  }

  /** Fills all places of the statement. */
  public String on(Map<String, Name> tables) {
    Map<String, String> rendered = new HashMap<>();
    tables.forEach((place, table) -> rendered.put(place, Rendering.sql(table)));
    return PLACE.matcher(text).replaceAll(match -> replacement(match.group(1), rendered));
  }

  private String replacement(String place, Map<String, String> rendered) {
    String table = rendered.get(place);
    if (table == null) {
      throw new IllegalArgumentException(call + " has a place {" + place + "} that was not filled");
    }
    return Matcher.quoteReplacement(table);
  }
}
