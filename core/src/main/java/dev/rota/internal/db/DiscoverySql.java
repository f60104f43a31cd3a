package dev.rota.internal.db;

import org.jooq.Name;

/** The statements that look tables up and that several classes share. */
public final class DiscoverySql {

  public static final Sql DISCOVER = Sql.named("discover");
  public static final Sql LOOK_UP_TABLES = Sql.named("look_up_tables");
  public static final Sql LOOK_FOR_TABLES = Sql.named("look_for_tables");

  private DiscoverySql() {}

  /** A name as a value, for {@link #LOOK_UP_TABLES}. */
  public static String text(Name table) {
    return Rendering.sql(table);
  }
}
