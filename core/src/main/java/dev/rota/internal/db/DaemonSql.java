package dev.rota.internal.db;

/** The statements that tell whether a daemon leads, and whether tasks wait for one. */
public final class DaemonSql {

  /** The second key of the leader's lock. */
  public static final int LEADER = -1;

  /** Whether a session holds the leader's lock, of these two keys. */
  public static final String LEADS =
      """
      select exists (select from pg_locks l
                      where l.locktype = 'advisory' and l.objsubid = 2 and l.granted
                        and l.database = (select d.oid from pg_database d
                                           where d.datname = current_database())
                        and l.classid::bigint = (?::bigint & 4294967295)
                        and l.objid::bigint = (?::bigint & 4294967295))""";

  /**
   * The places in a list of wait tables of those that hold anything at all, dead rows included. A
   * table that is gone holds nothing.
   */
  public static final String FILLED =
      """
      select u.place from unnest(?::text[]) with ordinality as u (name, place)
       where pg_relation_size(to_regclass(u.name)) > 0 order by u.place""";

  /** Whether any task waits. */
  public static final Sql WAITS =
      new Sql("look for waiting tasks", "select exists (select from {waiting})");

  private DaemonSql() {}
}
