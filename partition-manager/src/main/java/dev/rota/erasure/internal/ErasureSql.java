package dev.rota.erasure.internal;

import dev.rota.internal.db.Sql;

/** The statements that erase a tenant, each with what it notes about it. */
final class ErasureSql {

  /** A tenant by its name. */
  static final Sql TENANT =
      new Sql("find tenant to erase", "select number from {tenants} where name = ?");

  /** The erasure of that name: the one that is not finished, else the latest. */
  static final Sql FIND =
      new Sql(
          "find erasure",
          """
          select tenant, name, receipt from {erasures}
           where name = ? order by finished_at desc nulls first limit 1""");

  /** Keeps everybody out who wants to change what belongs to the tenant, or to hold it. */
  static final Sql LOCK =
      new Sql(
          "lock tenant to erase",
          """
          select t.closed, t.legal_hold, to_regclass(?) is not null,
                 (select count(*) from {archive} a where a.tenant = t.number)
            from {tenants} t where t.number = ? for update of t""");

  static final Sql BEGIN =
      new Sql(
          "begin erasure",
          "insert into {erasures} (tenant, name) select number, name from {tenants} where number = ?");

  /** How many rows of a table of all tenants go with the tenant. */
  static final Sql NOTE_ROWS =
      new Sql(
          "note rows to erase",
          """
          insert into {parts} (tenant, kind, name, rows, removed_at)
          select ?, 'registry', ?, count(*), now() from {table} where {column} = ?
          having count(*) > 0""");

  static final Sql NOTE_OBJECTS =
      new Sql(
          "note objects to erase",
          """
          insert into {parts} (tenant, kind, name, rows, bytes, sha256)
          select tenant, 'object', key, rows, bytes, sha256 from {archive} where tenant = ?""");

  /** Nobody reads them any more, and no archiver begins them again. */
  static final Sql EXPIRE_OBJECTS =
      new Sql(
          "expire objects to erase",
          "update {archive} set expired_at = coalesce(expired_at, now()) where tenant = ?");

  /** With it go segments, schedules, pools, statistics and requests, by their foreign keys. */
  static final Sql DELETE_TENANT =
      new Sql("delete tenant", "delete from {tenants} where number = ?");

  /** What is left in the schema, as the catalog has it: what was made by others goes as well. */
  static final Sql RELATIONS =
      new Sql(
          "list tables to erase",
          """
          select c.relname, c.relkind::text
            from pg_class c join pg_namespace n on n.oid = c.relnamespace
           where n.nspname = ? and c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition
           order by c.oid""");

  static final Sql DROP_VIEW = new Sql("erase view", "drop view if exists {relation} cascade");

  static final Sql DROP_MATERIALIZED =
      new Sql("erase view", "drop materialized view if exists {relation} cascade");

  static final Sql DROP_FOREIGN =
      new Sql("erase foreign table", "drop foreign table if exists {relation} cascade");

  static final Sql LOCK_TABLE =
      new Sql("lock table to erase", "lock table {relation} in access exclusive mode");

  /** What it holds at its end, when nobody can write into it any more. */
  static final Sql NOTE_TABLE =
      new Sql(
          "note table to erase",
          """
          insert into {parts} (tenant, kind, name, rows, bytes, removed_at)
          select ?, 'table', ?, (select count(*) from {relation}),
                 pg_total_relation_size(to_regclass(?)), now()""");

  static final Sql DROP_TABLE = new Sql("erase table", "drop table {relation} cascade");

  static final Sql LEDGER_SEGMENTS =
      new Sql("list ledger segments", "select seq from {segments} order by seq");

  /**
   * Deletes the tenant's batches: whoever still holds one has lost its lease. No index on the
   * tenant is worth what it would cost each claim, so that a segment is read as a whole.
   */
  static final Sql DELETE_BATCHES =
      new Sql(
          "erase batches",
          """
          with gone as (delete from {ledger} where tenant = ? returning id)
          insert into {parts} as p (tenant, kind, name, rows, removed_at)
          select ?, 'registry', ?, count(*), now() from gone having count(*) > 0
          on conflict (tenant, kind, name)
             do update set rows = p.rows + excluded.rows, removed_at = now()""");

  static final Sql DROP_SCHEMA = new Sql("erase schema", "drop schema if exists {schema} cascade");

  /** Objects that are still to be deleted. */
  static final Sql OBJECTS =
      new Sql(
          "list objects to erase",
          """
          select name from {parts}
           where tenant = ? and kind = 'object' and removed_at is null order by name""");

  /** An object that the manifest did not name, or one that came back. */
  static final Sql NOTE_OBJECT =
      new Sql(
          "note object to erase",
          """
          insert into {parts} (tenant, kind, name, bytes) values (?, 'object', ?, ?)
          on conflict (tenant, kind, name) do update set removed_at = null""");

  static final Sql REMOVED_OBJECT =
      new Sql(
          "note erased object",
          """
          update {parts} set removed_at = now()
           where tenant = ? and kind = 'object' and name = ?""");

  /** Of these, no archiver can be at work any more. */
  static final Sql FORGET_ARCHIVED =
      new Sql(
          "forget erased objects",
          "delete from {archive} where tenant = ? and archived_at is not null");

  /** An archiver that lives may be just about to put them. */
  static final Sql BEGUN =
      new Sql("list begun objects", "select key from {archive} where tenant = ?");

  /** Keeps archivers out until the transaction ends, unless one is there. */
  static final Sql LOCK_ARCHIVER =
      new Sql("lock out archivers", "select pg_try_advisory_xact_lock(?, ?)");

  static final Sql FORGET_BEGUN =
      new Sql("forget begun objects", "delete from {archive} where tenant = ?");

  /** Everything that was removed, with the times as texts in ISO 8601. */
  static final Sql PARTS =
      new Sql(
          "read erasure",
          """
          select kind, name, rows, bytes, sha256,
                 to_char(removed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
            from {parts} where tenant = ? order by kind, name""");

  static final Sql TIMES =
      new Sql(
          "read times of erasure",
          """
          select to_char(begun_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
                 to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), receipt
            from {erasures} where tenant = ? for update""");

  static final Sql FINISH =
      new Sql(
          "finish erasure",
          "update {erasures} set finished_at = now(), receipt = ? where tenant = ?");

  private ErasureSql() {}
}
