package dev.rota.archive.internal;

import dev.rota.internal.db.SqlTemplate;

/** The statements that let archived history be read as foreign tables. */
final class ForeignSql {

  /** Comes with PostgreSQL itself. */
  static final SqlTemplate EXTENSION =
      new SqlTemplate("create file_fdw", "create extension if not exists file_fdw");

  /** One for all tenants; it has no options. */
  static final SqlTemplate SERVER =
      new SqlTemplate(
          "create file server",
          "create server if not exists rota_archive foreign data wrapper file_fdw");

  /** Has no rows of its own. */
  static final SqlTemplate PARENT =
      new SqlTemplate(
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
  static final SqlTemplate CHILD =
      new SqlTemplate(
          "create archive part",
          """
          create foreign table {child} (
            check (created_at >= {from}::timestamptz and created_at <= {to}::timestamptz))
          inherits ({parent}) server rota_archive
          options (filename {file}, format 'csv', null '\\N')""");

  /** Those that are there, each with its file. */
  static final SqlTemplate CHILDREN =
      new SqlTemplate(
          "list archive parts",
          """
          select substring(c.relname from '[0-9]+$')::int,
                 (select o.option_value from pg_options_to_table(f.ftoptions) o
                   where o.option_name = 'filename')
            from pg_inherits i join pg_class c on c.oid = i.inhrelid
                 join pg_foreign_table f on f.ftrelid = c.oid
           where i.inhparent = to_regclass(?) order by 1""");

  static final SqlTemplate DROP_CHILD =
      new SqlTemplate("drop archive part", "drop foreign table if exists {child}");

  static final SqlTemplate DROP_PARENT =
      new SqlTemplate("drop archive table", "drop table if exists {parent} cascade");

  /** What is archived and no more in the database itself, with the times it lies between. */
  static final SqlTemplate FILES =
      new SqlTemplate(
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
