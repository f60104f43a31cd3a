package dev.rota.transfer.internal;

import dev.rota.internal.db.Sql;

/** The statements that bring the history of a tenant back from its archive. */
final class RestoreSql {

  /** A tenant by its name. */
  static final Sql FIND =
      new Sql("find tenant to restore", "select number, importing from {tenants} where name = ?");

  /** Tenants with these numbers. */
  static final Sql WITH_NUMBERS =
      new Sql(
          "look for tenants of an archive",
          "select number, name from {tenants} where number = any (?::integer[]) order by number");

  /** Whether a tenant of that number was erased, or is being erased. */
  static final Sql ERASED =
      new Sql("look for an erasure", "select name from {erasures} where tenant = ?");

  /** Another tenant that has files under these keys. Reads the whole manifest, once. */
  static final Sql HOLDER =
      new Sql(
          "look for the holder of archived files",
          """
          select t.name from {archive} a join {tenants} t on t.number = a.tenant
           where starts_with(a.key, ?) and t.name <> ? limit 1""");

  /**
   * Registers a tenant under the number that it had, which stands in the keys of its files. What
   * its policies were is in no archive, so that nothing may be deleted yet.
   */
  static final Sql REGISTER =
      new Sql(
          "restore tenant",
          """
          insert into {tenants} (number, name, closed, legal_hold, current_segment)
          overriding system value values (?, ?, true, true, ?)
          on conflict do nothing""");

  /** Keeps others from changing the registry of tenants, and from drawing numbers for new ones. */
  static final Sql HOLD_TENANTS =
      new Sql("hold tenants", "lock table {tenants} in share row exclusive mode");

  /** Gives later tenants greater numbers. */
  static final Sql SKIP_NUMBERS =
      new Sql(
          "move tenant numbers",
          """
          select setval(s.name::regclass, s.last)
            from (select pg_get_serial_sequence(?, 'number') as name, ?::bigint as last) s
           where coalesce(pg_sequence_last_value(s.name::regclass), 0) < s.last""");

  /** Whether a segment has a row. */
  static final Sql ANY_ROW =
      new Sql("look whether segment is empty", "select 1 from {segment} limit 1");

  /** What the manifest says of a segment. */
  static final Sql NOTED =
      new Sql(
          "look for archived segment",
          """
          select key, bytes, sha256, archived_at is not null and expired_at is null
            from {archive} where tenant = ? and seq = ?""");

  /** When a segment that stands in the database was opened and sealed. */
  static final Sql SEGMENT =
      new Sql(
          "look for segment",
          """
          select (extract(epoch from opened_at) * 1000000)::bigint,
                 (extract(epoch from sealed_at) * 1000000)::bigint from {segments}
           where tenant = ? and seq = ? and dropped_at is null""");

  /** Keeps an erasure, and others who restore, from going on meanwhile. */
  static final Sql HOLD =
      new Sql(
          "note restored ids",
          "update {tenants} set ids_above = greatest(ids_above, ?) where number = ?");

  /**
   * Notes an archived file. Files of older versions do not say when their segments were sealed: not
   * before the last time in them.
   */
  static final Sql NOTE =
      new Sql(
          "note restored file",
          """
          insert into {archive} (tenant, seq, key, bytes, rows, id_sum, state_sum, sha256,
                                 opened_at, sealed_at, id_from, id_to, created_from, created_to,
                                 claimed_from, claimed_to, archived_at)
          select f.tenant, f.seq, f.key, f.bytes, f.rows, f.id_sum, f.states, f.sha256,
                 coalesce(timestamptz 'epoch' + f.opened * f.micro, f.hour),
                 coalesce(timestamptz 'epoch' + f.sealed * f.micro,
                          greatest(f.hour, timestamptz 'epoch' + f.bounds[7] * f.micro)),
                 f.bounds[1], f.bounds[2],
                 timestamptz 'epoch' + f.bounds[3] * f.micro,
                 timestamptz 'epoch' + f.bounds[4] * f.micro,
                 timestamptz 'epoch' + f.bounds[5] * f.micro,
                 timestamptz 'epoch' + f.bounds[6] * f.micro, now()
            from (select ?::integer as tenant, ?::integer as seq, ?::text as key, ?::bigint as bytes,
                         ?::bigint as rows, ?::numeric as id_sum, ?::bigint as states,
                         ?::text as sha256, ?::timestamptz as hour, ?::bigint as opened,
                         ?::bigint as sealed, ?::bigint[] as bounds,
                         interval '1 microsecond' as micro) f
          on conflict (tenant, seq) do nothing""");

  private RestoreSql() {}
}
