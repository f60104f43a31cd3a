package dev.rota.internal.claim;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.log.Logs;
import dev.rota.internal.schema.AttemptStateCode;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.settle.ClaimedBatch.BatchLocation;
import dev.rota.internal.settle.ClaimedTask;
import dev.rota.internal.settle.TaskExtension.EndedTask;
import dev.rota.internal.settle.TaskExtensions;
import dev.rota.internal.settle.TaskExtensions.EndedTasks;
import dev.rota.internal.settle.TaskExtensions.KnownMarks;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.internal.tenant.TenantRef.PriorityLanes;
import dev.rota.internal.tenant.TenantRegistry;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jooq.Name;
import org.jooq.QueryPart;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Moves rows that no worker can run into history, as dead and with the reason, and counts them for
 * {@code rota status}. One such row would otherwise block its tenant for ever. Thread-safe.
 */
public final class InvalidRows {

  private static final Sql SET_ASIDE_PENDING = Sql.named("set_aside_pending");
  private static final Sql SET_ASIDE_WAITING = Sql.named("set_aside_waiting");
  private static final Sql LEAVE_LOST_LANES = Sql.named("leave_lost_lanes");
  private static final Sql SET_ASIDE_FIRST = Sql.named("set_aside_first");
  private static final Sql SET_ASIDE_FIRST_OF_KINDS = Sql.named("set_aside_first", "and_kinds");
  private static final Sql SET_ASIDE_CLAIMED = Sql.named("set_aside_claimed");
  private static final Sql COUNT_ROWS_SET_ASIDE = Sql.named("count_rows_set_aside");

  private static final Logger log = Logs.of(InvalidRows.class);
  private static final String PREFIX = "set aside, never run: ";
  private static final int MOST = 1_000;

  private final RegistryTables tables;
  private final TenantRegistry registry;
  private final TaskExtensions extensions;

  public InvalidRows(RegistryTables tables, TenantRegistry registry, TaskExtensions extensions) {
    this.tables = tables;
    this.registry = registry;
    this.extensions = extensions;
  }

  private record Aside(EndedTask ending, String reason) {
    static Aside read(ResultSet row) throws SQLException {
      EndedTask ending =
          new EndedTask(
              row.getLong(1), row.getString(2), row.getInt(3), AttemptStateCode.DEAD, null);
      return new Aside(ending, row.getString(4));
    }
  }

  /** Ends tasks that a claim has just moved into history, in the transaction of the claim. */
  void endClaimed(Session session, BatchLocation batch, TenantRef tenant, List<ClaimedTask> odd)
      throws SQLException {
    Map<String, QueryPart> parts = parts(session, tenant, batch.segment());
    String[] places = odd.stream().map(task -> task.place().toString()).toArray(String[]::new);
    List<Aside> ended = run(session, SET_ASIDE_CLAIMED, parts, places, batch.id());
    if (ended.size() != odd.size()) {
      throw new SQLException(
          "%d of %d rows of %s that cannot be run were found again in batch %d"
              .formatted(ended.size(), odd.size(), tenant.label(), batch.id()));
    }
    note(session, tenant, ended);
  }

  /**
   * Moves the odd rows of a slot.
   *
   * @return how many rows; there may be more if it is {@link #isMost}
   */
  int move(Session session, TenantRef tenant, int slot) throws SQLException {
    Map<String, QueryPart> parts = ofSlot(session, tenant, slot);
    return note(session, tenant, run(session, SET_ASIDE_PENDING, parts, MOST));
  }

  /**
   * Moves the first row of a slot, of these kinds or of all, if it has at least the given number of
   * bytes.
   *
   * @return how many rows
   */
  int moveFirst(Session session, TenantRef tenant, int slot, Refused refused) throws SQLException {
    Map<String, QueryPart> parts = ofSlot(session, tenant, slot);
    List<String> kinds = refused.kinds();
    if (kinds != null) {
      parts.put("kinds", ClaimTerms.arrayOf(kinds));
    }
    Sql template = kinds == null ? SET_ASIDE_FIRST : SET_ASIDE_FIRST_OF_KINDS;
    return note(session, tenant, run(session, template, parts, refused.bytes(), refused.reason()));
  }

  /**
   * A row that cannot be returned to a claimer.
   *
   * @param kinds the kinds that were claimed, or null for all
   * @param bytes its least number of bytes
   * @param reason why it cannot be returned
   */
  record Refused(@Nullable List<String> kinds, long bytes, String reason) {}

  /**
   * Moves rows that never become due from a wait table, and puts those of a lane that does not
   * exist into lane 0.
   *
   * @return how many rows, of the sort of which there were more
   */
  public int moveWaiting(Session session, TenantRef tenant) throws SQLException {
    // Read in this transaction: it sees every lane that a task can have.
    TenantRef.State state = registry.read(session, tenant.number()).state();
    int lanes = state.lanes().count();
    Map<String, QueryPart> parts = parts(session, tenant, state.currentSegment());
    parts.put("waiting", tenant.tables().waiting());
    parts.put("lanes", DSL.inline(lanes));
    parts.put(
        "lane",
        DSL.field("case when r.lane between 1 and {0} - 1 then r.lane end", DSL.inline(lanes)));
    int corrected =
        session.run(
            BoundStatement.update(LEAVE_LOST_LANES.call(), LEAVE_LOST_LANES.on(parts), MOST));
    if (corrected > 0) {
      session.afterCommit(() -> tellOfLanes(tenant, corrected));
    }
    return Math.max(corrected, note(session, tenant, run(session, SET_ASIDE_WAITING, parts, MOST)));
  }

  private static void tellOfLanes(TenantRef tenant, int corrected) {
    log.warn(
        "{} delayed tasks of {} had a lane that does not exist: they run with priority 0",
        corrected,
        tenant.label());
  }

  /** Whether more rows may remain after this many were moved. */
  public static boolean isMost(int moved) {
    return moved == MOST;
  }

  private Map<String, QueryPart> ofSlot(Session session, TenantRef tenant, int slot)
      throws SQLException {
    // Read in this transaction: a segment that is open now is not dropped before it ends.
    int segment = registry.get(session, tenant.number()).state().currentSegment();
    Map<String, QueryPart> parts = parts(session, tenant, segment);
    parts.put("table", tenant.tables().slot(slot));
    parts.put("lane", PriorityLanes.valueOf(PriorityLanes.of(slot)));
    return parts;
  }

  private Map<String, QueryPart> parts(Session session, TenantRef tenant, int segment)
      throws SQLException {
    KnownMarks known = extensions.known(session, tenant);
    Map<String, QueryPart> parts = new HashMap<>();
    parts.put("segment", tenant.tables().segment(segment));
    parts.put("prefix", DSL.inline(PREFIX));
    parts.put("keyed", DSL.inline(known.keys()));
    parts.put("known", DSL.inline(known.traits()));
    return parts;
  }

  private static List<Aside> run(
      Session session, Sql template, Map<String, QueryPart> parts, Object... binds)
      throws SQLException {
    return session.run(
        BoundStatement.query(template.call(), template.on(parts), Aside::read, binds));
  }

  private int note(Session session, TenantRef tenant, List<Aside> rows) throws SQLException {
    if (rows.isEmpty()) {
      return 0;
    }
    Name counters = tables.setAside();
    session.run(
        BoundStatement.update(
            COUNT_ROWS_SET_ASIDE.call(),
            COUNT_ROWS_SET_ASIDE.on("set_aside", counters),
            tenant.number(),
            rows.stream().map(Aside::reason).toArray(String[]::new),
            rows.stream().mapToLong(row -> row.ending().id()).toArray()));
    EndedTasks endings = new EndedTasks();
    List<EndedTask> marked = new ArrayList<>();
    rows.stream().map(Aside::ending).filter(EndedTask::isMarked).forEach(marked::add);
    marked.forEach(ending -> endings.add(tenant, ending));
    extensions.ended(session, endings);
    session.afterCommit(
        () ->
            log.warn(
                "{} tasks of {} cannot be run and are dead now: {}; see rota status",
                rows.size(),
                tenant.label(),
                rows.get(0).reason()));
    return rows.size();
  }
}
