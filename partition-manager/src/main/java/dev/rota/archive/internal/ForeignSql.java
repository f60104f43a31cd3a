package dev.rota.archive.internal;

import dev.rota.internal.db.Sql;

/** The statements that let archived history be read as foreign tables. */
final class ForeignSql {

  /** Comes with PostgreSQL itself. */
  static final Sql EXTENSION =
      new Sql("create file_fdw", "create extension if not exists file_fdw");

  /** One for all tenants; it has no options. */
  static final Sql SERVER =
      new Sql(
          "create file server",
          "create server if not exists rota_archive foreign data wrapper file_fdw");

  /** Has no rows of its own. */
  static final Sql PARENT =
      new Sql(
          "create archive table",
          """
          create table if not exists {parent} (
            id bigint, state text, attempt integer, kind text, payload text, parent_id bigint,
            created_at timestamptz, claimed_at timestamptz, finished_at timestamptz, error text,
            batch_id bigint, segment integer, worker bigint, key text, priority integer)""");

  /**
   * One file. The constraint is not checked by the server but believed, so that a query by time of
   * enqueue leaves the others closed. NULL is a backslash and N, which text in quotes is not.
   */
  static final Sql CHILD =
      new Sql(
          "create archive part",
          """
          create foreign table {child} (
            check (created_at >= {from}::timestamptz and created_at <= {to}::timestamptz))
          inherits ({parent}) server rota_archive
          options (filename {file}, format 'csv', null '\\N')""");

  /** Those that are there, each with its file. */
  static final Sql CHILDREN =
      new Sql(
          "list archive parts",
          """
          select substring(c.relname from '[0-9]+$')::int,
                 (select o.option_value from pg_options_to_table(f.ftoptions) o
                   where o.option_name = 'filename')
            from pg_inherits i join pg_class c on c.oid = i.inhrelid
                 join pg_foreign_table f on f.ftrelid = c.oid
           where i.inhparent = to_regclass(?) order by 1""");

  static final Sql DROP_CHILD =
      new Sql("drop archive part", "drop foreign table if exists {child}");

  static final Sql DROP_PARENT =
      new Sql("drop archive table", "drop table if exists {parent} cascade");

  /** What is archived and no more in the database itself, with the times it lies between. */
  static final Sql FILES =
      new Sql(
          "list archived segments",
          """
          select a.seq, a.key, a.bytes, a.sha256, a.created_from::text, a.created_to::text
            from {archive} a
           where a.tenant = ? and a.archived_at is not null and a.expired_at is null
             and not exists (select from {segments} s
                              where s.tenant = a.tenant and s.seq = a.seq and s.dropped_at is null)
           order by a.seq""");

  private ForeignSql() {}
}
