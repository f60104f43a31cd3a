package dev.rota.internal.db;

/**
 * Every statement on rows that no worker can run, and the one list of reasons. Rings have no
 * constraint, so that other programs may have inserted anything. Such a row becomes dead in
 * history, with its reason, under no batch.
 */
public final class OddRowSql {

  /** What every reason begins with. */
  public static final String PREFIX = "set aside, never run: ";

  private static final int MOST_ATTEMPTS = Integer.MAX_VALUE;

  private static final String TIME_IS_ODD =
      "(r.created_at is null or r.created_at < timestamptz '0001-01-01 00:00:00+00'"
          + " or r.created_at >= timestamptz '10000-01-01 00:00:00+00')";

  private static final String KEY =
      "case when {keyed} and octet_length(r.key) between 1 and 500 then r.key end";

  /** Without a key, a trait that needs one means nothing. */
  private static final String TRAITS =
      "nullif(r.traits & {known} & case when ({keyed} and octet_length(r.key) between 1 and 500)"
          + " is true then 7 else 1 end, 0)";

  private static final String REASONS =
      """
      case when r.id is null then 'its id is null'
           when %1$s
             then 'its created_at is null, or not in the years 1 to 9999'
           when r.attempt is null or r.attempt not between %2$d and %3$d
             then 'its attempt is null, negative or too large'
           when r.kind is null or octet_length(r.kind) > 128
                or r.kind collate "C" !~ '^[A-Za-z0-9._:/-]+$'
             then 'its kind is null or malformed'
           when r.payload is null then 'its payload is null'
           when octet_length(r.key) not between 1 and 500
             then 'its key is empty or longer than 500 bytes'
           when r.key is not null and not {keyed}
             then 'it has a key, and its tenant has no table of keys'
           when (r.traits & ~ {known}) <> 0
             then 'it has traits that are unknown, or whose tables its tenant does not have'
           when (r.traits & 6) <> 0 and r.key is null then 'it has traits of a key, and no key'
      end""";

  private static final String WAITING_REASONS =
      """
      case when r.run_at is null or r.run_at = 'infinity' then 'its run_at is null or infinite'
           when r.lane not between 1 and {lanes} - 1 then 'its lane does not exist'
      end""";

  private static final String OF_RING = REASONS.formatted(TIME_IS_ODD, 0, MOST_ATTEMPTS - 1);
  private static final String OF_HISTORY = REASONS.formatted(TIME_IS_ODD, 1, MOST_ATTEMPTS);

  private static final String ANY_ODD = " and %s is not null limit ?::int";

  /** Moves odd rows of a slot, so many at most. */
  public static final Sql MOVE = move(OF_RING, ANY_ODD.formatted(OF_RING), "", "");

  /** The same in a wait table: those that never become due, or are of no lane. */
  public static final Sql MOVE_WAITING =
      move(WAITING_REASONS, ANY_ODD.formatted(WAITING_REASONS), "", ", r.run_at, r.lane");

  /**
   * Moves the first row of a slot, of any kind, if it has so many bytes: one that the server or the
   * driver refuses to hand over.
   */
  public static final Sql MOVE_FIRST = first("");

  /** The same for a worker that knows only some kinds. */
  public static final Sql MOVE_FIRST_OF_KINDS = first(RingSql.OF_KINDS);

  /** Ends rows that a claim has moved into history in the same transaction. */
  public static final Sql END_CLAIMED =
      new Sql(
          "set aside",
          """
          update {segment} r
             set batch_id = 0, state = 3, finished_at = now(),
                 error = '%1$s' || coalesce(%2$s, 'it cannot be read'),
                 id = coalesce(r.id, 0),
                 created_at = case when %3$s then now() else r.created_at end,
                 attempt = greatest(coalesce(r.attempt, 1), 1),
                 kind = coalesce(left(r.kind, 128), ''), payload = coalesce(r.payload, ''),
                 key = %4$s,
                 traits = %5$s
           where r.ctid = any (?::text[]::tid[]) and r.batch_id = ?::bigint
          returning r.id, r.key, r.traits, r.error"""
              .formatted(PREFIX, OF_HISTORY, TIME_IS_ODD, KEY, TRAITS));

  /** Counts what was set aside: the tenant, then a reason and an id for each row. */
  public static final Sql COUNT =
      new Sql(
          "count rows set aside",
          """
          insert into {set_aside} as s (tenant, reason, rows, last_id)
          select ?::int, u.reason, count(*), max(u.id)
            from unnest(?::text[], ?::bigint[]) as u (reason, id)
           group by u.reason order by u.reason
          on conflict (tenant, reason) do update
             set rows = s.rows + excluded.rows, last_at = now(), last_id = excluded.last_id""");

  private OddRowSql() {}

  private static Sql first(String kinds) {
    return move("?::text", kinds + " limit 1", " and %s >= ?::bigint".formatted(BYTES), "");
  }

  private static final String BYTES =
      "coalesce(octet_length(r.payload), 0)::bigint + coalesce(octet_length(r.kind), 0)"
          + " + coalesce(octet_length(r.key), 0)";

  /** A row that a claim deletes at the same time is left to it. */
  private static Sql move(String reason, String which, String condition, String more) {
    return new Sql(
        "set aside",
        """
        with odd as materialized (
               select r.ctid as place from {table} r where r.ctid >= '(0,0)'::tid%1$s),
             moved as (
               delete from {table} r where r.ctid = any (array(select place from odd))%2$s
               returning r.id, r.created_at, r.parent_id, r.attempt, r.kind, r.payload, r.key,
                         r.traits%3$s)
        insert into {segment} as h (id, batch_id, created_at, parent_id, finished_at, attempt,
                                    state, kind, payload, error, key, traits, lane)
        select coalesce(r.id, 0), 0, case when %4$s then now() else r.created_at end, r.parent_id,
               now(), least(greatest(coalesce(r.attempt, 0), 0), 2147483646) + 1, 3,
               coalesce(left(r.kind, 128), ''), coalesce(r.payload, ''), '%5$s' || %6$s,
               %7$s, %8$s, {lane}
          from moved r
        returning h.id, h.key, h.traits, h.error"""
            .formatted(which, condition, more, TIME_IS_ODD, PREFIX, reason, KEY, TRAITS));
  }
}
