package dev.rota.internal.db;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jooq.Name;
import org.jooq.QueryPart;

/**
 * A statement with places for names of tables, such as <code>{slot}</code>, and for constants, such
 * as the number of the tenant. All other values are bound.
 *
 * <p>Statements are constants and are compared by identity. They stand in the files of {@link
 * SqlFiles}; only generators of DDL make theirs from a text.
 */
public final class Sql {

  private static final Pattern PLACE = Pattern.compile("\\{([a-z_]+)}");

  private static final Pattern VALUE = Pattern.compile("\\?");

  private final String call;
  private final String text;
  private final String numbered;

  /**
   * A statement.
   *
   * @param call the name under which it goes through the seam
   * @param text the statement
   */
  public Sql(String call, String text) {
    this.call = call;
    this.text = text;
    this.numbered = number(text);
  }

  public String call() {
    return call;
  }

  public String text() {
    return text;
  }

  /**
   * A statement of the files in {@code dev/rota/db/statements}.
   *
   * @param name the name under which it stands there
   * @param options the options of that file that the text is to have; all others are left out
   * @throws IllegalArgumentException if there is no such statement, or it has no such option
   */
  public static Sql named(String name, String... options) {
    SqlFile.Statement statement = SqlFiles.statement(name);
    return new Sql(statement.call(), statement.text(List.of(options)));
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
  public String on(Map<String, ? extends QueryPart> parts) {
    return fill(text, parts);
  }

  /** A statement without places that is sent so often that it should stay prepared. */
  public RepeatedSql repeated() {
    return new RepeatedSql(text, numbered);
  }

  /** Fills all places of a statement that is sent so often that it should stay prepared. */
  public RepeatedSql repeatedOn(Map<String, ? extends QueryPart> parts) {
    return new RepeatedSql(fill(text, parts), fill(numbered, parts));
  }

  private String fill(String template, Map<String, ? extends QueryPart> parts) {
    Map<String, String> rendered = new HashMap<>();
    parts.forEach((place, part) -> rendered.put(place, Rendering.sql(part)));
    return PLACE.matcher(template).replaceAll(match -> replacement(match.group(1), rendered));
  }

  private String replacement(String place, Map<String, String> rendered) {
    String part = rendered.get(place);
    if (part == null) {
      throw new IllegalArgumentException(call + " has a place {" + place + "} that was not filled");
    }
    return Matcher.quoteReplacement(part);
  }

  /** Values as the server counts them. No template has a question mark that is not a value. */
  private static String number(String text) {
    AtomicInteger count = new AtomicInteger();
    return VALUE.matcher(text).replaceAll(match -> "\\$" + count.incrementAndGet());
  }
}
