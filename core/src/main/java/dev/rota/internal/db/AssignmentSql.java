package dev.rota.internal.db;

/**
 * Every statement on the tables of assignment pools, {@code task_assignment_N} and {@code
 * task_free_N}.
 *
 * <p>A row of the former is an assignment; its two unique keys are what keeps a task to one worker
 * and a worker to one task. A row of the latter is a known worker or task that is free. Rows are
 * inserted and deleted and not updated, because {@code insert ... on conflict do nothing} answers
 * where an UPDATE would raise a unique violation and abort the transaction of the caller.
 *
 * <p>Nobody waits. Whoever inserts an assignment holds, on each side of it, either the advisory
 * lock of an id that came from outside or the row lock of a free one, both of which are only tried.
 * So no two transactions ever insert the same key at the same time.
 *
 * <p>Advisory locks use the second keys from the lowest int up to minus a billion, where no tenant
 * and no duty of the daemon has its own.
 */
public final class AssignmentSql {

  /** What became of a question; the first column of the answer. */
  public static final int ASSIGNED = 1;

  /** One of the two is in the assignment that is returned. */
  public static final int HELD = 2;

  /** No free one was left. */
  public static final int NONE_FREE = 3;

  /** Another transaction is deciding about the same worker or task. */
  public static final int CONTENDED = 4;

  /** Another transaction decided after this statement had begun: ask again. */
  public static final int RACED = 5;

  /**
   * Assigns a free known one, of side {@code given}, to the one who asks.
   *
   * <p>Free ones are tried from a random spot on, and each has a spot of its own by a hash. So
   * callers do not fight for the first one, and nobody walks over those that are taken, which are
   * not in the table.
   *
   * <p>The row lock stands in a subselect with a limit of its own: a lock in the condition of the
   * scan would be taken once for each row if the plan sorted them. Rejected: advisory locks in
   * place of the row locks, which find a row free that was deleted since the snapshot.
   *
   * <p>Its only values are numbers, so that it can be kept prepared (see {@link PreparedTexts}).
   */
  public static final SqlTemplate ASSIGN =
      new SqlTemplate(
          "assign",
          """
          with held as materialized (
                 select worker, task, token from {assignments} where pool = ? and {asker} = ?),
               gate as materialized (
                 select pg_try_advisory_xact_lock({namespace}, ?) as open
                  where not exists (select from held)),
               ahead as materialized (
                 select id, spot, ctid from {free}
                  where pool = ? and spot >= ? and (select open from gate)
                  order by spot limit 1 for update skip locked),
               behind as materialized (
                 select id, spot, ctid from {free}
                  where pool = ? and spot < ? and (select open from gate)
                    and not exists (select from ahead)
                  order by spot limit 1 for update skip locked),
               picked as materialized (
                 select id, spot, ctid from ahead union all select id, spot, ctid from behind),
               made as (
                 insert into {assignments}
                        (pool, {asker}, {given}, token, holder, returns, spot, assigned_at)
                 select ?::int, ?::bigint, id, nextval({tokens}), ?::bigint, id, spot, now()
                   from picked
                 on conflict do nothing
                 returning worker, task, token),
               gone as (
                 delete from {free}
                  where ctid = any (array(select picked.ctid from picked, made)))
          select 1, worker, task, token from made
          union all
          select 2, worker, task, token from held
          union all
          select case when not open then 4 when exists (select from picked) then 5 else 3 end,
                 0, 0, 0
            from gate where not exists (select from made)""");

  /** Assigns a worker to a task, neither of which was known before. */
  public static final SqlTemplate ASSIGN_PAIR =
      new SqlTemplate(
          "assign pair",
          """
          with held as materialized (
                 select worker, task, token from {assignments} where pool = ? and task = ?
                 union all
                 select worker, task, token from {assignments}
                  where pool = ? and worker = ? and task <> ?),
               gate as materialized (
                 select case when pg_try_advisory_xact_lock({namespace}, ?)
                             then pg_try_advisory_xact_lock({namespace}, ?) else false end as open
                  where not exists (select from held)),
               made as (
                 insert into {assignments} (pool, worker, task, token, holder, assigned_at)
                 select ?::int, ?::bigint, ?::bigint, nextval({tokens}), ?::bigint, now()
                   from gate where open
                 on conflict do nothing
                 returning worker, task, token)
          select 1, worker, task, token from made
          union all
          select 2, worker, task, token from held
          union all
          select case when open then 5 else 4 end, 0, 0, 0
            from gate where not exists (select from made)""");

  /** The assignment of a worker or of a task. */
  public static final SqlTemplate FIND =
      new SqlTemplate(
          "find assignment",
          "select worker, task, token from {assignments} where pool = ? and {side} = ?");

  /** Ends an assignment and puts what is known back among the free ones. */
  public static final SqlTemplate RELEASE =
      ending("release", "pool = ? and task = ? and token = ?", "returns is not null");

  /** Ends an assignment for good. */
  public static final SqlTemplate FINISH =
      ending("finish", "pool = ? and task = ? and token = ?", "false");

  /** Ends all assignments of a process that signs off. */
  public static final SqlTemplate HAND_BACK =
      ending("hand back assignments", "holder = ?", "returns is not null");

  /** Puts known ones among the free ones, unless they are assigned. */
  public static final SqlTemplate ADD =
      new SqlTemplate(
          "add to pool",
          """
          insert into {free} (pool, spot, id)
          select ?::int, u.spot, u.id from unnest(?::int[], ?::bigint[]) as u (spot, id)
           where not exists (
                 select from {assignments} a where a.pool = ? and a.{given} = u.id)
          on conflict do nothing""");

  /**
   * Undoes {@link #ADD} for those that were being assigned meanwhile: it has waited for them, and
   * this statement sees what they became.
   */
  public static final SqlTemplate SORT_OUT =
      new SqlTemplate(
          "sort out added",
          """
          delete from {free} f
           using {assignments} a, unnest(?::int[], ?::bigint[]) as u (spot, id)
           where f.pool = ? and f.spot = u.spot and f.id = u.id
             and a.pool = f.pool and a.{given} = f.id""");

  /** Lets those that are assigned return when they are released, though they had been removed. */
  public static final SqlTemplate KEEP =
      new SqlTemplate(
          "keep assigned",
          """
          update {assignments} a set returns = u.id, spot = u.spot
            from unnest(?::int[], ?::bigint[]) as u (spot, id)
           where a.pool = ? and a.{given} = u.id and a.returns is null""");

  /** Removes free ones. */
  public static final SqlTemplate REMOVE =
      new SqlTemplate(
          "remove free",
          """
          delete from {free} f using unnest(?::int[], ?::bigint[]) as u (spot, id)
           where f.pool = ? and f.spot = u.spot and f.id = u.id""");

  /** Lets those that are assigned leave when they are released. */
  public static final SqlTemplate LET_GO =
      new SqlTemplate(
          "let assigned go",
          """
          update {assignments} set returns = null
           where pool = ? and {given} = any (?::bigint[]) and returns is not null""");

  /** How many are free. */
  public static final SqlTemplate COUNT_FREE =
      new SqlTemplate("count free", "select count(*) from {free} where pool = ?");

  private AssignmentSql() {}

  /**
   * Ends assignments, passing over those that another transaction is ending at this moment.
   *
   * @param condition which ones; the table has no alias
   * @param returning which of them leave something that goes back among the free ones
   */
  public static SqlTemplate ending(String call, String condition, String returning) {
    return new SqlTemplate(
        call,
        """
        with ending as materialized (
               select ctid from {assignments} where %s for update skip locked),
             gone as (
               delete from {assignments} where ctid = any (array(select ctid from ending))
               returning pool, spot, returns),
             back as (
               insert into {free} (pool, spot, id)
               select pool, spot, returns from gone where %s
               on conflict do nothing)
        select count(*) from gone"""
            .formatted(condition, returning));
  }
}
