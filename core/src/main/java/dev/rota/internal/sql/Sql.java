package dev.rota.internal.sql;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jooq.DSLContext;
import org.jooq.Name;
import org.jooq.QueryPart;
import org.jooq.SQLDialect;
import org.jooq.conf.RenderQuotedNames;
import org.jooq.conf.Settings;
import org.jooq.impl.DSL;

/**
 * A statement with places for names of tables, such as <code>{slot}</code>, and for constants, such
 * as the number of the tenant. All other values are bound.
 *
 * <p>Statements are constants and are compared by identity. The files of {@link SqlFiles} contain
 * them; only generators of DDL create theirs from a text.
 */
public final class Sql {

  private static final Pattern PLACE = Pattern.compile("\\{([a-z_]+)}");

  private static final DSLContext CONTEXT = DSL.using(SQLDialect.POSTGRES, settings());

  static {
    Greeting.suppress(settings());
  }

  private final String call;
  private final String text;

  /**
   * Creates a statement.
   *
   * @param call the name under which it goes through the seam
   * @param text the statement
   */
  public Sql(String call, String text) {
    this.call = call;
    this.text = text;
  }

  public String call() {
    return call;
  }

  public String text() {
    return text;
  }

  /**
   * Creates Rota's own jOOQ settings. Those of the host are never used: some render names without
   * quotes.
   */
  public static Settings settings() {
    return new Settings()
        .withRenderQuotedNames(RenderQuotedNames.ALWAYS)
        .withExecuteLogging(false)
        .withRenderCatalog(false);
  }

  /** Renders a name, or another part of a statement. */
  public static String render(QueryPart part) {
    return CONTEXT.render(part);
  }

  /**
   * Returns a statement of the files in {@code dev/rota/db/statements}.
   *
   * @param name its name in the file
   * @param options the options of that file to include in the text; all others are left out
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
    Map<String, String> rendered = new HashMap<>();
    parts.forEach((place, part) -> rendered.put(place, render(part)));
    return PLACE.matcher(text).replaceAll(match -> replacement(match.group(1), rendered));
  }

  private String replacement(String place, Map<String, String> rendered) {
    String part = rendered.get(place);
    if (part == null) {
      throw new IllegalArgumentException(call + " has a place {" + place + "} that was not filled");
    }
    return Matcher.quoteReplacement(part);
  }

  /**
   * The texts of statements on the tables of one tenant, by statement, each rendered once.
   * Thread-safe.
   *
   * <p>Fills the places <code>{slot}</code>, <code>{segment}</code>, <code>{waiting}</code> and
   * <code>{keys}</code>.
   */
  public static final class Cache {

    private static final int KEPT_PER_LANE = 64;

    private final TenantTables tables;
    private final IntSupplier lanes;
    private final Map<Key, String> texts = new ConcurrentHashMap<>();
    private final Map<ExtendedKey, String> extended = new ConcurrentHashMap<>();

    private record Key(Sql statement, int segment, int slot) {}

    private record ExtendedKey(Object owner, Key key) {}

    /**
     * Creates the cache of one tenant.
     *
     * @param lanes the number of lanes of the tenant, which bounds the number of cached texts
     */
    public Cache(TenantTables tables, IntSupplier lanes) {
      this.tables = tables;
      this.lanes = lanes;
    }

    /** Renders a statement on the wait table, or on the table of keys. */
    public String of(Sql statement) {
      return text(new Key(statement, 0, 0));
    }

    /** Renders a statement on a slot. */
    public String onSlot(Sql statement, int slot) {
      return text(new Key(statement, 0, slot));
    }

    /** Renders a statement on a segment, and perhaps on the wait table. */
    public String onSegment(Sql statement, int segment) {
      return text(new Key(statement, segment, 0));
    }

    /** Renders a statement on a segment and a slot. */
    public String onSegment(Sql statement, int segment, int slot) {
      return text(new Key(statement, segment, slot));
    }

    /**
     * Renders a statement on a segment and a slot, with other places.
     *
     * @param owner the object to which the other places belong, compared by identity
     * @param more fills the other places
     */
    public String onSegment(
        Sql statement, int segment, int slot, Object owner, Supplier<Map<String, QueryPart>> more) {
      Key key = new Key(statement, segment, slot);
      return kept(
          extended,
          new ExtendedKey(owner, key),
          () -> {
            Map<String, QueryPart> parts = new HashMap<>(places(key));
            parts.putAll(more.get());
            return statement.on(parts);
          });
    }

    private String text(Key key) {
      return kept(texts, key, () -> key.statement.on(places(key)));
    }

    private Map<String, Name> places(Key key) {
      return Map.of(
          "slot", tables.slot(key.slot),
          "segment", tables.segment(key.segment),
          "waiting", tables.waiting(),
          "keys", tables.keys());
    }

    /**
     * Caches a rendering. Segments come and go, so renderings of old ones are discarded now and
     * then.
     */
    private <K, V> V kept(Map<K, V> kept, K key, Supplier<V> rendering) {
      V known = kept.get(key);
      if (known != null) {
        return known;
      }
      if (kept.size() > KEPT_PER_LANE * lanes.getAsInt()) {
        kept.clear();
      }
      return kept.computeIfAbsent(key, unused -> rendering.get());
    }
  }
}
