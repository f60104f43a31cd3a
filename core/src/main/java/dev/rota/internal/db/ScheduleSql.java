package dev.rota.internal.db;

/**
 * Every statement on {@code rota.schedule}, and the two that tell whether its last task has ended.
 *
 * <p>Whoever changes a row raises its version, and the daemon moves a schedule on only in the
 * version that it read: of two that act on one occurrence the later changes nothing, and enqueues
 * nothing.
 */
public final class ScheduleSql {

  private static final String COLUMNS =
      """
      s.id, s.tenant, s.name, s.cron, (extract(epoch from s.period) * 1000000)::bigint, s.zone,
      s.starting_at, s.kind, s.payload, s.parent_id, s.missed, s.overlapping,
      (extract(epoch from s.jitter) * 1000000)::bigint, s.paused, s.planned_at, s.run_at,
      s.last_run_at, s.last_task_id, s.skipped, s.version, now(), s.priority
      """;

  /** The one schedule of a name. The index has the collation. */
  public static final Sql FIND =
      new Sql(
          "find schedule",
          "select "
              + COLUMNS
              + "from {schedules} s where s.tenant = ? and s.name = ?::text collate \"C\"");

  /** The same, and nobody else changes it until the end of the transaction. */
  public static final Sql LOCK = new Sql("lock schedule", FIND.text() + " for update of s");

  /** All of one tenant. */
  public static final Sql LIST =
      new Sql(
          "list schedules",
          "select "
              + COLUMNS
              + "from {schedules} s where s.tenant = ? order by s.name collate \"C\"");

  /** The time of the transaction. */
  public static final Sql NOW = new Sql("read the clock", "select now()");

  /** Adds one unless there is one of that name; waits for somebody who is adding it. */
  public static final Sql ADD =
      new Sql(
          "add schedule",
          """
          insert into {schedules} (cron, period, zone, starting_at, kind, payload, parent_id,
                                   priority, missed, overlapping, jitter, planned_at, run_at, tenant, name)
          values (?, ?::bigint * interval '1 microsecond', ?, ?::timestamptz, ?, ?, ?, ?, ?, ?,
                  ?::bigint * interval '1 microsecond', ?::timestamptz, ?::timestamptz, ?, ?)
          on conflict do nothing""");

  /** Gives one another definition and another time. */
  public static final Sql CHANGE =
      new Sql(
          "change schedule",
          """
          update {schedules} set (cron, period, zone, starting_at, kind, payload, parent_id,
                                  priority, missed, overlapping, jitter, planned_at, run_at, version) =
                 (?, ?::bigint * interval '1 microsecond', ?, ?::timestamptz, ?, ?, ?, ?, ?, ?,
                  ?::bigint * interval '1 microsecond', ?::timestamptz, ?::timestamptz, version + 1)
           where tenant = ? and name = ?::text collate "C\"""");

  /** Pauses one. */
  public static final Sql PAUSE =
      new Sql(
          "pause schedule",
          """
          update {schedules} set paused = true, version = version + 1
           where tenant = ? and name = ?::text collate "C\"""");

  /** Lets one go on at another time. */
  public static final Sql RESUME =
      new Sql(
          "resume schedule",
          """
          update {schedules} set paused = false, planned_at = ?::timestamptz,
                 run_at = ?::timestamptz, version = version + 1
           where id = ?""");

  /** Notes a task that was enqueued out of turn. */
  public static final Sql NOTE_RUN =
      new Sql(
          "note run",
          """
          update {schedules} set last_run_at = now(), last_task_id = ?, version = version + 1
           where id = ?""");

  /** Removes one. */
  public static final Sql REMOVE =
      new Sql(
          "remove schedule",
          "delete from {schedules} where tenant = ? and name = ?::text collate \"C\"");

  /**
   * Those whose time has come, the longest due first, without those of closed tenants and without
   * some that failed lately.
   */
  public static final Sql DUE =
      new Sql(
          "due schedules",
          "select "
              + COLUMNS
              + """
              from {schedules} s join {tenants} t on t.number = s.tenant and not t.closed
               where not s.paused and s.run_at <= now() and s.id <> all (?::bigint[])
               order by s.run_at limit ?""");

  /** How long until the next one is due, in microseconds; null when there is none. */
  public static final Sql NEXT_DUE =
      new Sql(
          "next schedule",
          """
          select (extract(epoch from min(run_at) - now()) * 1000000)::bigint from {schedules}
           where not paused and run_at > now()""");

  /**
   * Moves schedules on if they still are as they were read and due by this transaction's clock, and
   * returns those that were. Rejected: locking them when they are read, which would make whoever
   * pauses one wait for the daemon.
   */
  public static final Sql ADVANCE =
      new Sql(
          "advance schedules",
          """
          update {schedules} s
             set planned_at = u.planned_at::timestamptz, run_at = u.run_at::timestamptz,
                 last_run_at = case when u.task_id is null then s.last_run_at else now() end,
                 last_task_id = coalesce(u.task_id, s.last_task_id),
                 skipped = s.skipped + case when u.task_id is null then 1 else 0 end,
                 version = s.version + 1
            from unnest(?::bigint[], ?::bigint[], ?::text[], ?::text[], ?::bigint[])
                 as u (id, version, planned_at, run_at, task_id)
           where s.id = u.id and s.version = u.version and not s.paused and s.run_at <= now()
             and exists (select from {tenants} t where t.number = s.tenant and not t.closed)
          returning s.id""");

  /**
   * Whether a task is pending or waits, as a row without a batch, and the tenant's open batches: in
   * one statement, since a task that moves between two of them would be seen in neither.
   */
  public static final Sql WHEREABOUTS =
      new Sql(
          "look for the last task",
          """
          (select null::bigint, 0, 0::bigint, 0::bigint, 0 from {pending} where id = ? limit 1)
          union all
          select b.id, b.segment, b.first_block, b.last_block, b.tasks from {ledger} b
           where b.tenant = ? and b.closed_at is null""");

  private static final String STATES =
      """
      select h.batch_id, count(*), array_agg(h.state) filter (where h.id = ?::bigint)
        from {segment} h where h.batch_id = any (?::bigint[])""";

  /** How many rows of a batch stand in a range of blocks, and the states of a task among them. */
  public static final Sql STATES_IN_BLOCKS =
      new Sql(
          "look into a batch",
          STATES + " and h.ctid >= ?::tid and h.ctid < ?::tid group by h.batch_id");

  /** The same for batches whose rows are elsewhere; reads the whole segment. */
  public static final Sql STATES_IN_SEGMENT =
      new Sql("look for rows of batches", STATES + " group by h.batch_id");

  private ScheduleSql() {}
}
