package dev.rota.erasure.internal;

import dev.rota.internal.db.SqlTemplate;

/** The statements that erase a tenant, each with what it notes about it. */
final class ErasureSql {

  /** A tenant by its name. */
  static final SqlTemplate TENANT =
      new SqlTemplate("find tenant to erase", "select number from {tenants} where name = ?");

  /** The erasure of that name: the one that is not finished, else the latest. */
  static final SqlTemplate FIND =
      new SqlTemplate(
          "find erasure",
          """
          select tenant, name, receipt from {erasures}
           where name = ? order by finished_at desc nulls first limit 1""");

  /** Keeps everybody out who wants to change what belongs to the tenant, or to hold it. */
  static final SqlTemplate LOCK =
      new SqlTemplate(
          "lock tenant to erase",
          """
          select t.closed, t.legal_hold, to_regclass(?) is not null,
                 (select count(*) from {archive} a where a.tenant = t.number)
            from {tenants} t where t.number = ? for update of t""");

  static final SqlTemplate BEGIN =
      new SqlTemplate(
          "begin erasure",
          "insert into {erasures} (tenant, name) select number, name from {tenants} where number = ?");

  /** How many rows of a table of all tenants go with the tenant. */
  static final SqlTemplate NOTE_ROWS =
      new SqlTemplate(
          "note rows to erase",
          """
          insert into {parts} (tenant, kind, name, rows, removed_at)
          select ?, 'registry', ?, count(*), now() from {table} where {column} = ?
          having count(*) > 0""");

  static final SqlTemplate NOTE_OBJECTS =
      new SqlTemplate(
          "note objects to erase",
          """
          insert into {parts} (tenant, kind, name, rows, bytes, sha256)
          select tenant, 'object', key, rows, bytes, sha256 from {archive} where tenant = ?""");

  /** Nobody reads them any more, and no archiver begins them again. */
  static final SqlTemplate EXPIRE_OBJECTS =
      new SqlTemplate(
          "expire objects to erase",
          "update {archive} set expired_at = coalesce(expired_at, now()) where tenant = ?");

  /** With it go segments, schedules, pools, statistics and requests, by their foreign keys. */
  static final SqlTemplate DELETE_TENANT =
      new SqlTemplate("delete tenant", "delete from {tenants} where number = ?");

  /** What is left in the schema, as the catalog has it: what was made by others goes as well. */
  static final SqlTemplate RELATIONS =
      new SqlTemplate(
          "list tables to erase",
          """
          select c.relname, c.relkind::text
            from pg_class c join pg_namespace n on n.oid = c.relnamespace
           where n.nspname = ? and c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition
           order by c.oid""");

  static final SqlTemplate DROP_VIEW =
      new SqlTemplate("erase view", "drop view if exists {relation} cascade");

  static final SqlTemplate DROP_MATERIALIZED =
      new SqlTemplate("erase view", "drop materialized view if exists {relation} cascade");

  static final SqlTemplate DROP_FOREIGN =
      new SqlTemplate("erase foreign table", "drop foreign table if exists {relation} cascade");

  static final SqlTemplate LOCK_TABLE =
      new SqlTemplate("lock table to erase", "lock table {relation} in access exclusive mode");

  /** What it holds at its end, when nobody can write into it any more. */
  static final SqlTemplate NOTE_TABLE =
      new SqlTemplate(
          "note table to erase",
          """
          insert into {parts} (tenant, kind, name, rows, bytes, removed_at)
          select ?, 'table', ?, (select count(*) from {relation}),
                 pg_total_relation_size(to_regclass(?)), now()""");

  static final SqlTemplate DROP_TABLE =
      new SqlTemplate("erase table", "drop table {relation} cascade");

  static final SqlTemplate LEDGER_SEGMENTS =
      new SqlTemplate("list ledger segments", "select seq from {segments} order by seq");

  /**
   * Deletes the tenant's batches: whoever still holds one has lost its lease. No index on the
   * tenant is worth what it would cost each claim, so that a segment is read as a whole.
   */
  static final SqlTemplate DELETE_BATCHES =
      new SqlTemplate(
          "erase batches",
          """
          with gone as (delete from {ledger} where tenant = ? returning id)
          insert into {parts} as p (tenant, kind, name, rows, removed_at)
          select ?, 'registry', ?, count(*), now() from gone having count(*) > 0
          on conflict (tenant, kind, name)
             do update set rows = p.rows + excluded.rows, removed_at = now()""");

  static final SqlTemplate DROP_SCHEMA =
      new SqlTemplate("erase schema", "drop schema if exists {schema} cascade");

  /** Objects that are still to be deleted. */
  static final SqlTemplate OBJECTS =
      new SqlTemplate(
          "list objects to erase",
          """
          select name from {parts}
           where tenant = ? and kind = 'object' and removed_at is null order by name""");

  /** An object that the manifest did not name, or one that came back. */
  static final SqlTemplate NOTE_OBJECT =
      new SqlTemplate(
          "note object to erase",
          """
          insert into {parts} (tenant, kind, name, bytes) values (?, 'object', ?, ?)
          on conflict (tenant, kind, name) do update set removed_at = null""");

  static final SqlTemplate REMOVED_OBJECT =
      new SqlTemplate(
          "note erased object",
          """
          update {parts} set removed_at = now()
           where tenant = ? and kind = 'object' and name = ?""");

  /** Of these, no archiver can be at work any more. */
  static final SqlTemplate FORGET_ARCHIVED =
      new SqlTemplate(
          "forget erased objects",
          "delete from {archive} where tenant = ? and archived_at is not null");

  /** An archiver that lives may be just about to put them. */
  static final SqlTemplate BEGUN =
      new SqlTemplate("list begun objects", "select key from {archive} where tenant = ?");

  /** Keeps archivers out until the transaction ends, unless one is there. */
  static final SqlTemplate LOCK_ARCHIVER =
      new SqlTemplate("lock out archivers", "select pg_try_advisory_xact_lock(?, ?)");

  static final SqlTemplate FORGET_BEGUN =
      new SqlTemplate("forget begun objects", "delete from {archive} where tenant = ?");

  /** Everything that was removed, with the times as texts in ISO 8601. */
  static final SqlTemplate PARTS =
      new SqlTemplate(
          "read erasure",
          """
          select kind, name, rows, bytes, sha256,
                 to_char(removed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
            from {parts} where tenant = ? order by kind, name""");

  static final SqlTemplate TIMES =
      new SqlTemplate(
          "read times of erasure",
          """
          select to_char(begun_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
                 to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), receipt
            from {erasures} where tenant = ? for update""");

  static final SqlTemplate FINISH =
      new SqlTemplate(
          "finish erasure",
          "update {erasures} set finished_at = now(), receipt = ? where tenant = ?");

  private ErasureSql() {}
}
