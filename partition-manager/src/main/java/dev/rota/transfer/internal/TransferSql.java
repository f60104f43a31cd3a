package dev.rota.transfer.internal;

import dev.rota.internal.db.Call;
import dev.rota.internal.db.Sql;
import org.jooq.QueryPart;
import org.jooq.impl.DSL;

/** The statements that move tenants. */
final class TransferSql {

  /** Keeps a table from being truncated or dropped while a snapshot is read. */
  static final Sql LOCK = new Sql("lock for export", "lock table {table} in access share mode");

  /** Which of these tables of a schema are there. */
  static final String TABLES =
      """
      select c.relname from pg_catalog.pg_class c
        join pg_catalog.pg_namespace n on n.oid = c.relnamespace
       where n.nspname = ? and c.relkind = 'r'""";

  /** A tenant's row of the registry; spans of time in microseconds. */
  static final Sql TENANT =
      new Sql(
          "read tenant",
          """
          select gen_random_uuid()::text, t.closed, t.importing, t.current_slot, t.current_segment,
                 t.lane_priorities, t.lane_slots, pg_sequence_last_value({task_ids}),
                 (extract(epoch from now()) * 1000000)::bigint,
                 (extract(epoch from t.created_at) * 1000000)::bigint,
                 (extract(epoch from t.keep_history) * 1000000)::bigint, t.archive,
                 (extract(epoch from t.keep_archive) * 1000000)::bigint, t.legal_hold,
                 (extract(epoch from t.segment_age) * 1000000)::bigint, t.segment_bytes
            from {tenants} t where t.number = ?""");

  /** The batches of a tenant that are open. */
  static final Sql OPEN_BATCHES =
      new Sql(
          "find open batches",
          "select b.id from {ledger} b where b.closed_at is null and b.tenant = ?");

  /** Running tasks that were asked to end. */
  static final Sql REQUESTS =
      new Sql(
          "count requests",
          "select count(*) from {requests} where tenant = ? and batch = any (?::bigint[])");

  /** Rows of a tenant in a table of the registry. */
  static final Sql OF_TENANT =
      new Sql(
          "read rows of tenant", "select {columns} from {table} h where h.tenant = ? {condition}");

  /** Whether an archived file is kept. */
  static final Sql KEPT =
      new Sql(
          "look for archived file",
          "select 1 from {archive} where tenant = ? and seq = ? and expired_at is null");

  /** Divides a range of blocks into parts of some megabytes: where each begins. */
  static final Sql PARTS =
      new Sql(
          "divide table",
          """
          select min(p.place)::text
            from (select h.ctid as place,
                         (sum({size}) over (order by h.ctid))::bigint / ? as part
                    from {table} h where h.ctid >= ?::tid and h.ctid < ?::tid) p
           group by p.part order by min(p.place)""");

  /** Rows of a part, in their order. */
  static final Sql ROWS =
      new Sql(
          "read rows",
          """
          select {columns} from {table} h where h.ctid >= ?::tid and h.ctid < ?::tid
           order by h.ctid""");

  /** Adds rows; what is constant for all of them comes first. */
  static final Sql INSERT =
      new Sql(
          "insert rows",
          """
          insert into {table} ({fixed}{columns}) select {fixed_values}{values}
            from unnest({arrays}) with ordinality as u ({columns}, place_of_row)
           order by u.place_of_row""");

  /** Whether a tenant was made, or is being made, out of an export, under a name. */
  static final Sql FIND_IMPORT =
      new Sql(
          "find import",
          """
          select number, importing from {tenants}
           where name = ? and imported_from = ?::uuid""");

  /** A tenant that is being imported: nobody sees anything of what it gets. */
  static final Sql RESERVE =
      new Sql(
          "reserve tenant",
          """
          insert into {tenants} (name, closed, legal_hold, importing, imported_from, ids_above,
                                 current_segment)
          values (?, true, true, true, ?::uuid, ?, ?) returning number""");

  /** The first segment of a new tenant. */
  static final Sql FIRST_SEGMENT =
      new Sql("open first segment", "insert into {segments} (tenant, seq) values (?, ?)");

  /** Whether it is still being imported; others wait. */
  static final Sql LOCK_IMPORT =
      new Sql("lock import", "select importing from {tenants} where number = ? for no key update");

  /** The objects of an imported tenant are under its own number. */
  static final Sql OWN_KEYS =
      new Sql(
          "name archived files",
          """
          update {archive} set key = regexp_replace(key, '^tenant=[0-9]+/', 'tenant=' || tenant || '/')
           where tenant = ?""");

  /** The objects that are to be put. */
  static final Sql OBJECTS =
      new Sql(
          "list archived files",
          "select seq, key, sha256 from {archive} where tenant = ? order by seq");

  /**
   * What was the open segment is sealed now, since another one is open; those that were empty are
   * not there.
   */
  static final Sql SETTLE_SEGMENTS =
      new Sql(
          "settle segments",
          """
          update {segments} t
             set sealed_at = coalesce(sealed_at, now()),
                 rows = case when seq = any (s.kept) then rows else coalesce(rows, 0) end,
                 dropped_at = case when seq = any (s.kept) then null
                                   else coalesce(dropped_at, now()) end
            from (select ?::integer as tenant, ?::integer as last, ?::integer[] as kept) s
           where t.tenant = s.tenant and seq <= s.last""");

  /** All objects are there. */
  static final Sql ARCHIVED =
      new Sql(
          "note archived files",
          "update {archive} set archived_at = now() where tenant = ? and archived_at is null");

  /** The tenant is there. */
  static final Sql FINISH =
      new Sql(
          "finish import",
          """
          update {tenants}
             set importing = false, closed = ?, legal_hold = ?, archive = ?::boolean,
                 created_at = timestamptz 'epoch' + ?::bigint * interval '1 microsecond',
                 keep_history = ?::bigint * interval '1 microsecond',
                 keep_archive = ?::bigint * interval '1 microsecond',
                 segment_age = ?::bigint * interval '1 microsecond', segment_bytes = ?::bigint
           where number = ?""");

  /** A pool, with the number that it gets here. */
  static final Sql ADD_POOL =
      new Sql(
          "add pool",
          """
          insert into {pools} (tenant, kind, name, created_at)
          values (?, ?::smallint, ?, timestamptz 'epoch' + ?::bigint * interval '1 microsecond')
          returning number""");

  /** Draws blocks of numbers. */
  static final String DRAW = "select nextval(?::regclass) from generate_series(1, ?::bigint)";

  /** The segment of the ledger into which claims write. */
  static final Sql NEWEST_LEDGER = new Sql("find newest ledger", "select max(seq) from {segments}");

  /** How far the sequence is; null before its first value. */
  static final Sql LAST_ID =
      new Sql("read last id", "select coalesce(pg_sequence_last_value({task_ids}), 0)");

  /** Keeps others from drawing until the commit. */
  static final Sql HOLD_IDS = new Sql("hold sequence", "alter sequence {sequence} no cycle");

  /** Goes on with the block that ends with this id. */
  static final Sql SKIP_IDS =
      new Sql("move sequence", "alter sequence {sequence} restart with {next}");

  private TransferSql() {}

  /** Goes on as the role that logged in, after tables were made as the keeper of all. */
  static Call<?> beOneself() {
    return Call.query("be oneself", "select set_config('role', 'none', true)", row -> true);
  }

  /** Workers find work by the counters of the tables: makes the inserts count when they commit. */
  static Call<?> tellDiscovery() {
    return Call.query("flush counters", "select pg_stat_force_next_flush()::text", row -> true);
  }

  /** Text of a statement that is made of constants of the code alone. */
  static QueryPart sql(String text) {
    return DSL.sql(text);
  }
}
