package dev.rota.internal.db;

import org.jooq.Name;

/** The statements that tell which rings changed. */
public final class DiscoverySql {

  /** The numbers of tables by their names, in the order of the names; 0 for one that is gone. */
  public static final String OIDS =
      """
      select coalesce(to_regclass(u.name)::oid, 0)::bigint
        from unnest(?::text[]) with ordinality as u (name, place) order by u.place""";

  /**
   * Whether a table of this schema and name is there. Asks the catalog itself: what {@code
   * to_regclass} remembers of a table that was missing may be older than a lock that was waited
   * for.
   */
  public static final String EXISTS =
      """
      select count(*) from pg_catalog.pg_class c
        join pg_catalog.pg_namespace n on n.oid = c.relnamespace
       where n.nspname = ? and c.relname = ?""";

  /**
   * The tables whose insert counters differ from what was seen, with the new counts.
   *
   * <p>Rejected: {@code pg_relation_size} beside it, which opens and locks each table; a query on
   * each ring, 100 microseconds a tenant.
   */
  public static final String CHANGED =
      """
      select u.oid, pg_stat_get_tuples_inserted(u.oid::oid)
        from unnest(?::bigint[], ?::bigint[]) as u (oid, seen)
       where pg_stat_get_tuples_inserted(u.oid::oid) <> u.seen""";

  /**
   * Which of these tables hold anything at all, dead rows included. Opens each of them, 2 to 3
   * microseconds, and waits while somebody locks readers out of one.
   */
  public static final String FILLED =
      """
      select u.oid from unnest(?::bigint[]) as u (oid) where pg_relation_size(u.oid::oid) > 0""";

  private DiscoverySql() {}

  /** A name as a value, for {@link #OIDS}. */
  public static String text(Name table) {
    return Rendering.sql(table);
  }
}
