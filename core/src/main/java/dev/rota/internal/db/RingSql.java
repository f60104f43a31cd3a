package dev.rota.internal.db;

/**
 * Every statement on the slots of rings ({@code task_init_N_0} and on) but their rotation.
 *
 * <p>Rows of a ring are inserted and deleted, never updated. Statements that insert also make the
 * backend report its counters when the transaction commits ({@code pg_stat_force_next_flush}):
 * workers find work by these counters, and would otherwise see a lone task up to ten seconds late.
 */
public final class RingSql {

  /**
   * A claim that does not weigh returns no payload of more bytes than this: its reader then rolls
   * it back and weighs. Without that a thousand rows could be any number of bytes.
   */
  public static final int LARGEST_LIGHT = 4_096;

  /**
   * How a claim keeps to a number of bytes.
   *
   * @param picked the part of the statement that chooses the rows
   * @param payload what it returns as payload
   * @param more what it returns besides
   */
  private record Weighing(String picked, String payload, String more) {}

  private static final Weighing LIGHT =
      new Weighing(
          """
          picked as materialized (
                 select ctid from {slot}
                  where ctid >= ?::tid
                    and (select pg_try_advisory_xact_lock({namespace}, {tenant}))%s limit ?)""",
          "case when octet_length(payload) <= " + LARGEST_LIGHT + " then payload end", "");

  private static final Weighing WEIGHED =
      new Weighing(
          """
          looked as materialized (
                 select ctid, coalesce(octet_length(payload), 0) as bytes from {slot}
                  where ctid >= ?::tid
                    and (select pg_try_advisory_xact_lock({namespace}, {tenant}))%s limit ?),
               picked as materialized (
                 select ctid
                   from (select ctid, bytes, sum(bytes) over (rows unbounded preceding) as through
                           from looked) as weighed
                  where through <= ?::bigint or through = bytes)""",
          "payload", ", (select count(*) from picked) < (select count(*) from looked)");

  static final String OF_KINDS = " and kind = any ({kinds})";

  /**
   * Which tasks of a table {@code t} a user means, and in which blocks. A condition that is null is
   * none.
   */
  static final String CHOSEN =
      """
                      (?::bigint[] is null or t.id = any (?::bigint[]))
                  and (?::text is null or t.kind = ?::text)
                  and (?::text is null or t.key = ?::text)
                  and (?::timestamptz is null or t.created_at >= ?::timestamptz)
                  and (?::timestamptz is null or t.created_at < ?::timestamptz)
                  and t.ctid >= ?::tid and t.ctid < ?::tid""";

  /**
   * Stores tasks of one tenant. Measured on two cores, batches of 1,000: 1.4 million rows a second.
   *
   * <p>Rejected: COPY, 1.1 million; multi-row VALUES as the driver rewrites it, 0.9 million; a
   * statement a row, 23 thousand.
   */
  public static final Sql ENQUEUE =
      new Sql(
          "enqueue",
          """
          insert into {slot} (id, created_at, parent_id, attempt, kind, payload)
          select u.id, now(), u.parent_id, 0, u.kind, u.payload
            from unnest(?::bigint[], ?::bigint[], ?::text[], ?::text[])
                 as u (id, parent_id, kind, payload)
           where (select pg_stat_force_next_flush()) is not null""");

  /** The same for tasks some of which are marked by a key or by traits. */
  public static final Sql ENQUEUE_MARKED =
      new Sql(
          "enqueue marked",
          """
          insert into {slot} (id, created_at, parent_id, attempt, kind, payload, key, traits)
          select u.id, now(), u.parent_id, 0, u.kind, u.payload, u.key, u.traits
            from unnest(?::bigint[], ?::bigint[], ?::text[], ?::text[], ?::text[], ?::int[])
                 as u (id, parent_id, kind, payload, key, traits)
           where (select pg_stat_force_next_flush()) is not null""");

  /**
   * Stores one task of one of many tenants: to plan this takes half as long as {@link #ENQUEUE},
   * and for single tasks planning is most of the work. {@link #REPORT} goes with it.
   */
  public static final Sql ENQUEUE_ONE =
      new Sql(
          "enqueue",
          """
          insert into {slot} (id, created_at, parent_id, attempt, kind, payload)
          values (?, now(), ?, 0, ?, ?)""");

  /** Makes the backend report its counters when the transaction commits. */
  public static final Sql REPORT = new Sql("report counters", "select pg_stat_force_next_flush()");

  /**
   * Takes the gates of several tenants, in the order of the array, for the rest of the transaction.
   * With a gate in hand an empty claim means that there was nothing to claim.
   */
  public static final Sql GATE =
      new Sql(
          "gate",
          """
          select u.tenant, pg_try_advisory_xact_lock(?, u.tenant)
            from unnest(?::int[]) as u (tenant)""");

  /**
   * Moves up to n tasks from a slot to a segment of history, starting at a block.
   *
   * <p>The lock stands in a scalar subselect, so it is taken once per statement: a lock in the
   * WHERE clause of the scan is taken once per row and exhausts the lock table of the whole cluster
   * at about 10,000 rows. The DELETE decides who owns a row, not the lock. The plan must be made
   * with {@code enable_seqscan = off}: made while the slot is empty it would else scan the whole
   * slot for ever.
   *
   * <p>The time goes over the wire as the eight bytes that the protocol has for it: to write and
   * parse it as text took a twelfth of a claim of 1,000.
   *
   * <p>Its only values are numbers and a place, so that it can be kept prepared (see {@link
   * PreparedTexts}); the kinds of a worker never change and stand in the text.
   *
   * <p>Rejected: {@code FOR UPDATE SKIP LOCKED} and a status column, 12 thousand a second; INSERT
   * as a further CTE, a top-level DELETE fed by the lock, and a DELETE by block range, none of
   * which works through every node of a Citus cluster.
   */
  public static final Sql CLAIM = claim(LIGHT, "", "", "");

  /** The same for a worker that knows only some kinds; all others stay where they are. */
  public static final Sql CLAIM_KINDS = claim(LIGHT, OF_KINDS, "", "");

  /** The same as {@link #CLAIM} for another lane than lane 0, which is kept with the task. */
  public static final Sql CLAIM_LANE = claim(LIGHT, "", ", lane", ", {lane}");

  /** The same for a worker that knows only some kinds. */
  public static final Sql CLAIM_KINDS_LANE = claim(LIGHT, OF_KINDS, ", lane", ", {lane}");

  /**
   * The same for tenants with larger payloads: takes as many tasks as have so many bytes together,
   * and one in any case. Tells whether more were there. The size of a payload is read without the
   * payload, also of one that is compressed or stored apart.
   */
  public static final Sql CLAIM_WEIGHED = claim(WEIGHED, "", "", "");

  /** The same for a worker that knows only some kinds. */
  public static final Sql CLAIM_WEIGHED_KINDS = claim(WEIGHED, OF_KINDS, "", "");

  /** The same as {@link #CLAIM_WEIGHED} for another lane than lane 0. */
  public static final Sql CLAIM_WEIGHED_LANE = claim(WEIGHED, "", ", lane", ", {lane}");

  /** The same for a worker that knows only some kinds. */
  public static final Sql CLAIM_WEIGHED_KINDS_LANE = claim(WEIGHED, OF_KINDS, ", lane", ", {lane}");

  /** One kind among the tasks of a slot that a worker has no handler for. */
  public static final Sql UNKNOWN_KIND =
      new Sql(
          "look for unknown kinds",
          "select kind from {slot}"
              + " where ctid >= '(0,0)'::tid and (kind is null or kind <> all (?::text[]))"
              + " limit 1");

  /**
   * Moves tasks that nobody runs from a slot that is to be emptied into the current one, under the
   * tenant's gate, a few at a time.
   */
  public static final Sql CARRY_OVER =
      new Sql(
          "carry over",
          """
          with picked as materialized (
                 select ctid from {slot}
                  where ctid >= '(0,0)'::tid and (select pg_try_advisory_xact_lock(?, ?)) limit ?),
               moved as (
                 delete from {slot} where ctid = any (array(select ctid from picked))
                 returning id, created_at, parent_id, attempt, kind, payload, key, traits)
          insert into {current} (id, created_at, parent_id, attempt, kind, payload, key, traits)
          select id, created_at, parent_id, attempt, kind, payload, key, traits from moved
           where (select pg_stat_force_next_flush()) is not null""");

  /**
   * Moves tasks in a range of blocks into history as cancelled; from a wait table as well. A row
   * that a claim deletes at the same time is left to it. Returns how many were moved, and which of
   * them are marked.
   */
  public static final Sql CANCEL =
      new Sql(
          "cancel",
          """
          with cancelled as (
                 delete from {table} t
                  where
          """
              + CHOSEN
              + """

                 returning t.id, t.created_at, t.parent_id, t.attempt, t.kind, t.payload, t.key,
                           t.traits, {lane} as lane),
               stored as (
                 insert into {segment} (id, batch_id, created_at, parent_id, finished_at, attempt,
                                        state, kind, payload, error, key, traits, lane)
                 select coalesce(id, 0), 0,
                        case when isfinite(created_at) then created_at else now() end, parent_id,
                        now(),
                        case when attempt < 2147483647 then attempt + 1 else attempt end, 4, kind,
                        payload, ?, key, traits, lane
                   from cancelled
                 returning id, key, traits)
          select count(*),
                 array_agg(id) filter (where key is not null or traits is not null),
                 array_agg(key) filter (where key is not null or traits is not null),
                 array_agg(traits) filter (where key is not null or traits is not null)
            from stored""");

  /** How many blocks tables have, in the order of their names; a table that is gone has none. */
  public static final String LENGTHS =
      """
      select coalesce(pg_relation_size(to_regclass(u.name)), 0)
             / current_setting('block_size')::bigint
        from unnest(?::text[]) with ordinality as u (name, place) order by u.place""";

  private RingSql() {}

  private static Sql claim(Weighing how, String condition, String column, String value) {
    return new Sql(
        "claim",
        """
        with %3$s,
             moved as (
               delete from {slot} where ctid = any (array(select ctid from picked))
               returning id, created_at, parent_id, attempt, kind, payload, key, traits)
        insert into {segment} (id, batch_id, created_at, parent_id, attempt, state, kind, payload,
                               key, traits%1$s)
        select id, ?::bigint, created_at, parent_id, attempt + 1, 0, kind, payload, key, traits%2$s
          from moved
        returning ctid, id, timestamptz_send(created_at), parent_id, attempt, kind, %4$s, key,
                  traits, (select max(ctid) from picked)%5$s"""
            .formatted(column, value, how.picked.formatted(condition), how.payload, how.more));
  }
}
