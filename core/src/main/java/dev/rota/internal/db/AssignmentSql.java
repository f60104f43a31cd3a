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
  public static final Sql ASSIGN =
      new Sql(
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

  /**
   * Assigns workers to tasks, none of which was known before: the questions of several callers,
   * each with an answer of its own, in their order.
   *
   * <p>Each question that gets both locks draws a token, which tells afterwards whose row it was:
   * of two that ask for the same in one statement the second is {@link #RACED}.
   *
   * <p>The limit keeps the look for older assignments a search in the index for each question, also
   * in a plan that was made while the table was empty. Rejected: a statement for each question,
   * with up to 64 results a flush: 6,700 a second where this one makes 9,100 (see
   * docs/assignment.md).
   */
  public static final Sql ASSIGN_PAIRS =
      new Sql(
          "assign pairs",
          """
          with asked as materialized (
                 select u.place, u.worker, u.task, u.holder, held.worker as held_worker,
                        held.task as held_task, held.token as held_token,
                        case when held.token is null
                             then case when pg_try_advisory_xact_lock({namespace}, u.task_key)
                                       then case when pg_try_advisory_xact_lock(
                                                        {namespace}, u.worker_key)
                                                 then nextval({tokens}) end end end as token
                   from unnest(?::bigint[], ?::bigint[], ?::int[], ?::int[], ?::bigint[])
                          with ordinality
                          as u (worker, task, worker_key, task_key, holder, place)
                   left join lateral (
                          select worker, task, token from {assignments}
                           where pool = ? and task = u.task
                          union all
                          select worker, task, token from {assignments}
                           where pool = ? and worker = u.worker and task <> u.task
                          limit 1) as held on true),
               made as (
                 insert into {assignments} (pool, worker, task, token, holder, assigned_at)
                 select ?::int, worker, task, token, holder, now() from asked
                  where token is not null
                 on conflict do nothing
                 returning token)
          select case when made.token is not null then 1 when held_token is not null then 2
                      when asked.token is not null then 5 else 4 end,
                 coalesce(held_worker, worker), coalesce(held_task, task),
                 coalesce(held_token, asked.token)
            from asked left join made on made.token = asked.token
           order by place""");

  /** The assignment of a worker or of a task. */
  public static final Sql FIND =
      new Sql(
          "find assignment",
          "select worker, task, token from {assignments} where pool = ? and {side} = ?");

  /**
   * Ends assignments, those of several callers, and puts what is known back among the free ones;
   * returns the tokens of those that ended.
   */
  public static final Sql RELEASE = ending("release", "returns is not null");

  /** Ends assignments, those of several callers, for good; returns their tokens. */
  public static final Sql FINISH = ending("finish", "false");

  /**
   * Waits for {@link #KEEP} or {@link #LET_GO}, if it is one of these that has made an ending pass
   * over the assignment; returns a row if so. They update no key, so they let others share the key,
   * which whoever ends the assignment does not.
   */
  public static final Sql AWAIT_CHANGE =
      new Sql(
          "await change of membership",
          """
          with changing as materialized (
                 select from {assignments} where pool = ? and task = ? and token = ?
                    for key share skip locked)
          select 1 from {assignments}
           where pool = ? and task = ? and token = ? and exists (select from changing)
             for no key update""");

  /** Ends all assignments of a process that signs off. */
  public static final Sql HAND_BACK =
      ending("hand back assignments", "holder = ?", "returns is not null");

  /**
   * Lets one process at a time change who is known to a pool, to be sent ahead of the statements
   * that do. So what {@link #ADD} finds unknown stays unknown to all others until it has committed.
   */
  public static final Sql MEMBERSHIP =
      new Sql("lock membership", "select pg_advisory_xact_lock({namespace}, ?)");

  /**
   * Puts known ones among the free ones, unless they are free or assigned.
   *
   * <p>It never waits, nor does anybody wait for it: whoever is being assigned or released at this
   * moment is found to be one or the other. Rejected: to insert whoever is not assigned and to see
   * which were there. Then it waited for assignments under way while releases waited for it, and a
   * transaction with both was a deadlock.
   */
  public static final Sql ADD =
      new Sql(
          "add to pool",
          """
          insert into {free} (pool, spot, id)
          select ?::int, u.spot, u.id from unnest(?::int[], ?::bigint[]) as u (spot, id)
           where not exists (
                 select from {free} f where f.pool = ? and f.spot = u.spot and f.id = u.id)
             and not exists (
                 select from {assignments} a where a.pool = ? and a.{given} = u.id)
          on conflict do nothing""");

  /** Lets those that are assigned return when they are released, though they had been removed. */
  public static final Sql KEEP =
      new Sql(
          "keep assigned",
          """
          update {assignments} a set returns = u.id, spot = u.spot
            from unnest(?::int[], ?::bigint[]) as u (spot, id)
           where a.pool = ? and a.{given} = u.id and a.returns is null""");

  /** Removes free ones. */
  public static final Sql REMOVE =
      new Sql(
          "remove free",
          """
          delete from {free} f using unnest(?::int[], ?::bigint[]) as u (spot, id)
           where f.pool = ? and f.spot = u.spot and f.id = u.id""");

  /** Lets those that are assigned leave when they are released. */
  public static final Sql LET_GO =
      new Sql(
          "let assigned go",
          """
          update {assignments} set returns = null
           where pool = ? and {given} = any (?::bigint[]) and returns is not null""");

  /** How many are free. */
  public static final Sql COUNT_FREE =
      new Sql("count free", "select count(*) from {free} where pool = ?");

  private AssignmentSql() {}

  private static Sql ending(String call, String returning) {
    return new Sql(
        call,
        """
        with ending as materialized (
               select held.ctid from unnest(?::bigint[], ?::bigint[]) as u (task, token),
                      lateral (
                        select ctid from {assignments}
                         where pool = ? and task = u.task and token = u.token
                           for update skip locked) as held),
        %s
        select token from gone"""
            .formatted(moving(returning)));
  }

  /**
   * Ends assignments, passing over those that another transaction is ending at this moment; returns
   * how many.
   *
   * @param condition which ones; the table has no alias
   * @param returning which of them leave something that goes back among the free ones
   */
  public static Sql ending(String call, String condition, String returning) {
    return new Sql(
        call,
        """
        with ending as materialized (
               select ctid from {assignments} where %s for update skip locked),
        %s
        select count(*) from gone"""
            .formatted(condition, moving(returning)));
  }

  private static String moving(String returning) {
    return """
             gone as (
               delete from {assignments} where ctid = any (array(select ctid from ending))
               returning pool, spot, returns, token),
             back as (
               insert into {free} (pool, spot, id)
               select pool, spot, returns from gone where %s
               on conflict do nothing)"""
        .formatted(returning);
  }
}
