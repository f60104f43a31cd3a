package dev.rota.internal.db;

/**
 * Every statement on segments of history ({@code task_hist_N_<seq>}) but the claim that fills them.
 *
 * <p>Only exceptions are written here: a task that succeeded with its whole batch keeps state 0,
 * "as the batch says". Measured: 600 to 740 thousand tasks a second claimed and settled so, against
 * 330 to 400 thousand when each row is updated.
 *
 * <p>Rows are found by {@code ctid} (nested loop over a Tid Scan) and checked by batch and id. A
 * place is a hint: VACUUM FULL, CLUSTER, some forms of ALTER TABLE and a restored dump move rows.
 * The caller compares the count, and looks for the rest by {@link #FIND_TASKS} or {@link
 * #FIND_BATCHES}, which read the whole segment. Rejected: to find rows by batch and id alone, which
 * needs an index on history or a scan for each settle.
 */
public final class HistorySql {

  private static final String EXCEPTIONS =
      """
      update {segment} h set state = u.state, error = u.error, finished_at = now()
        from unnest(?::text[]::tid[], ?::bigint[], ?::bigint[], ?::smallint[], ?::text[],
                    ?::bigint[]) as u (place, batch, id, state, error, pause)
       where h.ctid = u.place and h.batch_id = u.batch and h.id = u.id and h.state = 0""";

  /** Writes final outcomes: done before the rest of the batch, dead, cancelled. */
  public static final Sql MARK = new Sql("mark", EXCEPTIONS);

  /** Writes failed attempts and lets their tasks wait for the next one. */
  public static final Sql RETRY =
      new Sql(
          "retry",
          "with settled as (\n"
              + EXCEPTIONS
              + """

               returning h.id, h.created_at, h.parent_id, h.attempt, h.kind, h.payload, h.key,
                         h.traits, h.lane, u.pause)
              insert into {waiting} (id, run_at, created_at, parent_id, attempt, kind, payload, key,
                                     traits, lane)
              select id, now() + pause * interval '1 microsecond', created_at, parent_id, attempt,
                     kind, payload, key, traits, lane
                from settled where (select pg_stat_force_next_flush()) is not null""");

  /** Hands tasks of one lane that did not begin back to its ring; the attempt does not count. */
  public static final Sql RELEASE =
      new Sql(
          "release",
          "with settled as (\n"
              + EXCEPTIONS
              + """

               returning h.id, h.created_at, h.parent_id, h.attempt, h.kind, h.payload, h.key,
                         h.traits)
              insert into {slot} (id, created_at, parent_id, attempt, kind, payload, key, traits)
              select id, created_at, parent_id, attempt - 1, kind, payload, key, traits
                from settled where (select pg_stat_force_next_flush()) is not null""");

  /** Writes payloads that came after the enqueue; their rows move. */
  public static final Sql REPLACE =
      new Sql(
          "replace payloads",
          """
          update {segment} h set payload = u.payload
            from unnest(?::text[]::tid[], ?::bigint[], ?::text[]) as u (place, id, payload)
           where h.ctid = u.place and h.id = u.id
          returning h.id, h.ctid""");

  private static final String MOVED =
      """
      with moved as (
             update {segment} h set state = 1, finished_at = now()
               from unnest(?::text[]::tid[], ?::bigint[], ?::bigint[], ?::text[], ?::text[],
                           ?::bigint[]) as u (place, batch, id, kind, payload, pause)
              where h.ctid = u.place and h.batch_id = u.batch and h.id = u.id and h.state = 0
             returning h.id, h.parent_id, u.kind, coalesce(u.payload, h.payload) as payload, h.key,
                       h.traits, h.lane, u.pause)
      """;

  /**
   * Writes that tasks of one lane have passed a stage of their pipeline, and makes them pending at
   * another one, where attempts and time begin anew. Only who finds the row unsettled moves the
   * task, so that it is at one stage however often that is asked for.
   */
  public static final Sql MOVE =
      new Sql(
          "move",
          MOVED
              + """
              insert into {slot} (id, created_at, parent_id, attempt, kind, payload, key, traits)
              select id, now(), parent_id, 0, kind, payload, key, traits
                from moved where (select pg_stat_force_next_flush()) is not null""");

  /** The same, after a pause. */
  public static final Sql MOVE_DELAYED =
      new Sql(
          "move delayed",
          MOVED
              + """
              insert into {waiting} (id, run_at, created_at, parent_id, attempt, kind, payload, key,
                                     traits, lane)
              select id, now() + pause * interval '1 microsecond', now(), parent_id, 0, kind, payload,
                     key, traits, lane
                from moved where (select pg_stat_force_next_flush()) is not null""");

  /**
   * Returns what a closed batch left unsettled to the ring. Rows are looked for in a range of
   * blocks, first in that of the batch's row of the ledger.
   */
  public static final Sql RETURN_BATCH =
      new Sql(
          "return batch",
          """
          with returned as (
                 update {segment} set state = ?::smallint, error = ?, finished_at = now()
                  where ctid >= ?::tid and ctid < ?::tid and batch_id = ?::bigint and state = 0
                 returning id, created_at, parent_id, attempt, kind, payload, key, traits)
          insert into {slot} (id, created_at, parent_id, attempt, kind, payload, key, traits)
          select id, created_at, parent_id, attempt - ?::int, kind, payload, key, traits
            from returned where (select pg_stat_force_next_flush()) is not null""");

  /** The same for a tenant with several lanes, each task into the ring of its own. */
  public static final Sql RETURN_BATCH_TO_LANES =
      new Sql(
          "return batch",
          """
          with moved as (
                 update {segment} set state = ?::smallint, error = ?, finished_at = now()
                  where ctid >= ?::tid and ctid < ?::tid and batch_id = ?::bigint and state = 0
                 returning id, created_at, parent_id, attempt - ?::int as attempt, kind, payload,
                           key, traits, lane){insertions}
          select count(*) from moved where (select pg_stat_force_next_flush()) is not null""");

  /** Where tasks of some batches stand now, and their states. */
  public static final Sql FIND_TASKS =
      new Sql(
          "find tasks of batches",
          """
          select h.batch_id, h.id, h.ctid, h.state from {segment} h
           where h.batch_id = any (?::bigint[]) and h.id = any (?::bigint[])""");

  private static final String STANDING =
      """
      select h.batch_id, count(*), count(*) filter (where h.state = 0),
             min(h.ctid) filter (where h.state = 0), max(h.ctid) filter (where h.state = 0)
        from {segment} h
       where h.batch_id = any (?::bigint[])""";

  /** How many rows of batches there are, how many are unsettled, and where the latter stand. */
  public static final Sql FIND_BATCHES =
      new Sql("find rows of batches", STANDING + " group by h.batch_id");

  /** The same for what stands in a range of blocks. */
  public static final Sql FIND_BATCHES_IN_RANGE =
      new Sql(
          "find rows in blocks",
          STANDING + " and h.ctid >= ?::tid and h.ctid < ?::tid group by h.batch_id");

  /**
   * What {@link #REDRIVE} and {@link #COUNT_DEAD} ask of a row; a condition that is null is none.
   */
  private static final String DEAD =
      """
       where h.state = 3
         and (?::bigint[] is null or h.id = any (?::bigint[]))
         and (?::text is null or h.kind = ?::text)
         and (?::text is null or split_part(h.error, E'\\n\\tat ', 1) = ?::text)
         and (?::timestamptz is null or h.finished_at >= ?::timestamptz)
         and (?::timestamptz is null or h.finished_at < ?::timestamptz)""";

  /** How many dead tasks meet the conditions. */
  public static final Sql COUNT_DEAD =
      new Sql("count dead", "select count(*) from {segment} h\n" + DEAD);

  private static final String IN_RANGE = " and h.ctid >= ?::tid and h.ctid < ?::tid";

  /**
   * Takes the keys of dead tasks in a range of blocks again, unless another task has them by now,
   * and tells where the tasks are that have theirs. One whose version is not remembered any more is
   * older than any other.
   */
  public static final Sql RETAKE =
      new Sql(
          "retake keys",
          "with dead as materialized (\n"
              + "select distinct on (h.key) h.ctid as place, h.key, h.id, h.kind, h.traits\n"
              + "  from {segment} h\n"
              + DEAD
              + IN_RANGE
              + """
               and h.key is not null
               order by h.key, h.finished_at desc),
              taken as (
                insert into {keys} as k (key, task_id, live, run, free_at, version, kind)
                select key, id, true, 0, null,
                       case when traits & 4 <> 0 then -9223372036854775808 end,
                       case when traits & 4 <> 0 then kind end
                  from dead order by key collate "C"
                on conflict (key) do update
                   set live = true, free_at = case when k.version is null then k.free_at end
                 where not k.live and k.task_id = excluded.task_id
                returning key)
              select d.place from dead d join taken t on t.key = d.key""");

  /** How many of these rows are dead; none is after their tasks were redriven. */
  public static final Sql STILL_DEAD =
      new Sql(
          "look for tasks that stayed dead",
          """
          select count(*) from {segment} h
           where h.ctid = any (?::text[]::tid[]) and h.state = 3""");

  private static final String REDRIVEN =
      """
      with moved as (
             update {segment} h set state = 2
      """
          + DEAD
          + IN_RANGE
          + """

               and (h.key is null or h.ctid = any (?::text[]::tid[]))
             returning h.id, h.created_at, h.parent_id, 0 as attempt, h.kind, h.payload, h.key,
                       h.traits, h.lane)""";

  /**
   * Lets dead tasks in a range of blocks run again at once: their last attempt is now one that
   * another one follows. Updated rows may move into a later block and are seen there again, as
   * failed. Those with a key only if they have it again.
   */
  public static final Sql REDRIVE =
      new Sql(
          "redrive",
          REDRIVEN
              + """

              insert into {slot} (id, created_at, parent_id, attempt, kind, payload, key, traits)
              select id, created_at, parent_id, attempt, kind, payload, key, traits
                from moved where (select pg_stat_force_next_flush()) is not null""");

  /** The same for a tenant with several lanes, each task into the ring of its own. */
  public static final Sql REDRIVE_TO_LANES =
      new Sql(
          "redrive",
          REDRIVEN
              + """
              {insertions}
              select count(*) from moved where (select pg_stat_force_next_flush()) is not null""");

  /** Lets them run again, each after a random part of so many microseconds. */
  public static final Sql REDRIVE_SPREAD =
      new Sql(
          "redrive spread",
          REDRIVEN
              + """

              insert into {waiting} (id, run_at, created_at, parent_id, attempt, kind, payload, key,
                                     traits, lane)
              select id, now() + random() * ? * interval '1 microsecond', created_at, parent_id,
                     attempt, kind, payload, key, traits, lane
                from moved where (select pg_stat_force_next_flush()) is not null""");

  private HistorySql() {}
}
