package dev.rota.internal.db;

/**
 * Every statement on the tables of graphs but those of the daemon.
 *
 * <p>{@code task_node_N} has a small row for each task of a graph, with the number of its parents
 * that have not ended; {@code task_edge_N} who depends on whom. What a blocked task is made of
 * stands in {@code task_held_N}, written once and deleted once, so that counting down copies no
 * payloads. A task that ended without running stands in {@code task_spread_N} until its children
 * have heard of it.
 *
 * <p>A transaction locks all rows of {@code task_node_N} that it is going to change by one
 * statement and in the order of their ids, so that no two wait for each other in a circle. What
 * follows from tasks that end without running is therefore left to further transactions, one for
 * each generation, instead of a recursive statement.
 */
public final class GraphSql {

  /** States in the column {@code state} of {@code task_node_N}: see {@code NodeCode}. */
  private static final String BLOCKED = "0";

  private static final String ACTIVE = "1";
  private static final String DONE = "2";
  private static final String DEAD = "3";
  private static final String CANCELLED = "4";
  private static final String SKIPPED = "5";

  /** Policies in the column {@code on_dead}. */
  private static final String SKIP = "1";

  private static final String RELEASE = "2";

  /** A new graph. */
  public static final Sql ADD_GRAPH =
      new Sql(
          "add graph",
          """
          insert into {graphs} (id, created_at, first_id, last_id) values (?, now(), ?, ?)""");

  /** The tasks of a new graph. */
  public static final Sql ADD_NODES =
      new Sql(
          "add nodes",
          """
          insert into {nodes} (id, graph, culprit, missing, state, on_dead)
          select u.id, ?::bigint, u.culprit, u.missing, u.state, u.on_dead
            from unnest(?::bigint[], ?::bigint[], ?::int[], ?::smallint[], ?::smallint[])
                 as u (id, culprit, missing, state, on_dead)""");

  /** Who depends on whom. */
  public static final Sql ADD_EDGES =
      new Sql(
          "add edges",
          """
          insert into {edges} (parent, child)
          select u.parent, u.child from unnest(?::bigint[], ?::bigint[]) as u (parent, child)""");

  /** What tasks that cannot begin yet are made of; times are in microseconds. */
  public static final Sql HOLD =
      new Sql(
          "hold tasks",
          """
          insert into {held} (id, created_at, run_at, pause, parent_id, lane, kind, payload)
          select u.id, now(), timestamptz 'epoch' + u.run_at * interval '1 microsecond',
                 u.pause * interval '1 microsecond', u.parent_id, u.lane, u.kind, u.payload
            from unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[], ?::smallint[],
                        ?::text[], ?::text[])
                 as u (id, run_at, pause, parent_id, lane, kind, payload)""");

  /** Tasks that ended without running; their children hear of it later. */
  public static final Sql SPREAD =
      new Sql(
          "spread",
          "insert into {spread} (id, reason) select u.id, u.reason"
              + " from unnest(?::bigint[], ?::text[]) as u (id, reason)");

  /**
   * Earlier tasks that new ones depend on: nobody can settle them until the new ones are stored.
   */
  public static final Sql LOCK_PARENTS =
      new Sql(
          "lock parents",
          "select id, state from {nodes} where id = any (?::bigint[]) order by id for share");

  /** Locks tasks that end and their children, in the order of their ids. */
  public static final Sql LOCK =
      new Sql(
          "lock nodes",
          """
          select count(*) from (
            select n.id from {nodes} n
             where n.id = any (array(
                   select unnest(?::bigint[])
                   union all
                   select e.child from {edges} e where e.parent = any (?::bigint[])))
             order by n.id for no key update) as locked""");

  /**
   * Tells children that parents have ended. Those that have no parent left begin, unless a parent
   * died: then as their policy says. Returns how many begin, and how many end without running.
   */
  private static final String TELL_CHILDREN =
      """
           heard as materialized (
             select e.child, count(*)::int as parents, min(ended.id) filter (where ended.bad) as bad
               from ended join {edges} e on e.parent = ended.id group by e.child),
           resolved as (
             update {nodes} c
                set missing = c.missing - h.parents, culprit = coalesce(c.culprit, h.bad),
                    state = case when c.missing > h.parents then 0
                                 when coalesce(c.culprit, h.bad) is null or c.on_dead = %s then %s
                                 when c.on_dead = %s then %s
                                 else %s end
               from heard h where c.id = h.child and c.state = %s
             returning c.id, c.state, c.culprit),
           freed as (
             delete from {held} w using resolved r where w.id = r.id and r.state = %s
             returning w.id, w.created_at, coalesce(w.run_at, now() + w.pause) as run_at,
                       w.parent_id, w.lane, w.kind, w.payload),
           moved as (
             select id, created_at, parent_id, 0 as attempt, kind, payload, null::text as key,
                    {trait} as traits, lane
               from freed
              where run_at is null and (select pg_stat_force_next_flush()) is not null){insertions},
           waiting as (
             insert into {waiting} (id, run_at, created_at, parent_id, attempt, kind, payload,
                                    traits, lane)
             select id, run_at, created_at, parent_id, 0, kind, payload, {trait}, lane from freed
              where run_at is not null and (select pg_stat_force_next_flush()) is not null),
           unrun as (
             insert into {spread} (id, reason)
             select id, case state when %s then 'skipped' else 'cancelled' end
                        || ': its parent, task ' || culprit || ', did not succeed'
               from resolved where state in (%s, %s)
             returning id)
      select (select count(*) from moved), (select count(*) from unrun)"""
          .formatted(
              RELEASE, ACTIVE, SKIP, SKIPPED, CANCELLED, BLOCKED, ACTIVE, SKIPPED, SKIPPED,
              CANCELLED);

  /**
   * Tasks have ended that ran, or were to run. Whoever asks again for one that has ended changes
   * nothing, but for a dead one that was run again and succeeded: it is done, without telling its
   * children a second time.
   *
   * <p>Measured beside it, a fan-out of 100,000: see docs/dependencies.md.
   */
  public static final Sql END =
      new Sql(
          "end nodes",
          """
          with told as materialized (
                 select u.id, u.state from unnest(?::bigint[], ?::smallint[]) as u (id, state)),
               revived as (
                 update {nodes} n set state = %s from told
                  where n.id = told.id and n.state = %s and told.state = %s),
               ended as (
                 update {nodes} n set state = told.state from told
                  where n.id = told.id and n.state = %s
                 returning n.id, n.state <> %s as bad),
          """
                  .formatted(DONE, DEAD, DONE, ACTIVE, DONE)
              + TELL_CHILDREN);

  /** Takes tasks that ended without running, oldest first, past those that others are taking. */
  public static final Sql TAKE_SPREAD =
      new Sql(
          "take spread",
          """
          delete from {spread}
           where id = any (array(
                 select id from {spread} order by id limit ? for update skip locked))
          returning id, reason""");

  /** Moves tasks that ended without running into history, and tells their children. */
  public static final Sql END_UNRUN =
      new Sql(
          "end unrun nodes",
          """
          with told as materialized (
                 select u.id, u.reason from unnest(?::bigint[], ?::text[]) as u (id, reason)),
               gone as (
                 delete from {held} w using told where w.id = told.id
                 returning w.id, w.created_at, w.parent_id, w.lane, w.kind, w.payload,
                           told.reason),
               history as (
                 insert into {segment} (id, batch_id, created_at, parent_id, finished_at, attempt,
                                        state, kind, payload, error, traits, lane)
                 select id, 0, created_at, parent_id, now(), 1, 4, kind, payload, reason, {trait},
                        lane
                   from gone),
               ended as materialized (
                 select n.id, n.state = %s as bad from {nodes} n
                  where n.id = any (array(select id from told))),
          """
                  .formatted(CANCELLED)
              + TELL_CHILDREN);

  private static final String PROGRESS =
      """
      select g.id, g.created_at, n.state, count(n.id)
        from {graphs} g
        left join {nodes} n on n.id >= g.first_id and n.id <= g.last_id and n.graph = g.id
       where %s
       group by g.id, n.state order by g.id desc""";

  /** How many tasks of a graph are in each state. */
  public static final Sql FIND = new Sql("find graph", PROGRESS.formatted("g.id = ?"));

  /** The same for the newest graphs. */
  public static final Sql LIST =
      new Sql(
          "list graphs",
          PROGRESS.formatted(
              "g.id = any (array(select id from {graphs} order by id desc limit ?))"));

  /** Cancels blocked tasks of a graph, some at a time. */
  public static final Sql CANCEL_BLOCKED =
      new Sql(
          "cancel blocked nodes",
          """
          with picked as materialized (
                 select n.id from {graphs} g
                   join {nodes} n on n.id >= g.first_id and n.id <= g.last_id and n.graph = g.id
                  where g.id = ? and n.state = %s order by n.id limit ? for no key update of n),
               cancelled as (
                 update {nodes} n set state = %s from picked where n.id = picked.id
                 returning n.id)
          insert into {spread} (id, reason) select id, ? from cancelled"""
              .formatted(BLOCKED, CANCELLED));

  /** The tasks of a graph that are pending, wait for their time, or run. */
  public static final Sql ACTIVE_TASKS =
      new Sql(
          "list active nodes",
          """
          select n.id from {graphs} g
            join {nodes} n on n.id >= g.first_id and n.id <= g.last_id and n.graph = g.id
           where g.id = ? and n.state = %s"""
              .formatted(ACTIVE));

  private GraphSql() {}
}
