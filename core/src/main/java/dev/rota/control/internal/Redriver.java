package dev.rota.control.internal;

import dev.rota.RotaException;
import dev.rota.control.Redrive;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.enqueue.Doorbell;
import dev.rota.internal.enqueue.IntoLanes;
import dev.rota.internal.schema.BlockRange;
import dev.rota.internal.settle.BlockRanges;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.sql.TenantTables;
import dev.rota.internal.tenant.LazyTables;
import dev.rota.internal.tenant.SegmentCatalog;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.internal.tenant.TenantRegistry;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.jooq.Name;
import org.jspecify.annotations.Nullable;

/**
 * Redrives dead tasks of a tenant segment by segment, the newest first, some megabytes in each
 * transaction.
 */
public final class Redriver {

  private static final Sql RETAKE_KEYS = Sql.named("retake_keys");
  private static final Sql LOOK_FOR_TASKS_THAT_STAYED_DEAD =
      Sql.named("look_for_tasks_that_stayed_dead");
  private static final Sql REDRIVE_SPREAD = Sql.named("redrive_spread");

  private final Database database;
  private final TenantRegistry registry;
  private final LazyTables keyTables;
  private final Doorbell doorbell;
  private final TenantRef tenant;

  public Redriver(
      Database database,
      TenantRegistry registry,
      LazyTables keyTables,
      Doorbell doorbell,
      TenantRef tenant) {
    this.database = database;
    this.registry = registry;
    this.keyTables = keyTables;
    this.doorbell = doorbell;
    this.tenant = tenant;
  }

  long redrive(Redrive what, TaskSteps steps) {
    if (!what.isDryRun()) {
      tenant.refuseClosed();
    }
    for (int segment : segments()) {
      if (!steps.ended()) {
        work(what, segment, steps);
      }
    }
    if (steps.tasks() > 0 && !what.isDryRun() && what.spread().isZero()) {
      doorbell.ring(tenant.number());
    }
    return steps.tasks();
  }

  private List<Integer> segments() {
    return database
        .readings()
        .transaction(
            "list the segments of " + tenant.label(),
            session ->
                new SegmentCatalog(registry.tables(), tenant.number())
                    .inDatabase(session.dsl(), Integer.MAX_VALUE));
  }

  /** Redrives or counts the tasks of one segment. */
  private void work(Redrive what, int segment, TaskSteps steps) {
    Name table = tenant.tables().segment(segment);
    if (what.isDryRun()) {
      inSegment(
          "count dead tasks of " + tenant.label(),
          purpose -> new DeadCounter(database, what).count(purpose, table, steps));
    } else {
      BlockRanges ranges = new BlockRanges(database, table);
      inSegment(
          "redrive tasks of " + tenant.label(),
          purpose -> {
            long unused =
                ranges.run(
                    purpose, (session, range) -> redrive(session, what, segment, range), steps);
          });
    }
  }

  private int redrive(Session session, Redrive what, int segment, BlockRange range)
      throws SQLException {
    if (what.fingerprint().isEmpty()) {
      return redrive(session, what, segment, range.after(FilterBinds.of(what)));
    }
    Name table = tenant.tables().segment(segment);
    List<String> errors = new DeadCounter(database, what).errors(session, table, range);
    return errors.isEmpty()
        ? 0
        : redrive(session, what, segment, range.after(FilterBinds.of(what, Optional.of(errors))));
  }

  private int redrive(Session session, Redrive what, int segment, List<@Nullable Object> binds)
      throws SQLException {
    String[] keyed = retakeKeys(session, segment, binds);
    binds.add(keyed);
    int redriven = session.run(redriving(session, what, segment, binds));
    requireRedriven(session, segment, keyed);
    return redriven;
  }

  private BoundStatement<Integer> redriving(
      Session session, Redrive what, int segment, List<@Nullable Object> binds)
      throws SQLException {
    if (!what.spread().isZero()) {
      return redriveLater(what, segment, binds);
    }
    // Read in this transaction: it sees every lane that a task can be of.
    TenantRef now = registry.read(session, tenant.number());
    return IntoLanes.redriven(now, segment, binds.toArray());
  }

  /**
   * Checks that every task whose key was taken again was redriven; a task that stayed dead would
   * keep its key for ever.
   */
  private void requireRedriven(Session session, int segment, String[] keyed) throws SQLException {
    if (keyed.length == 0) {
      return;
    }
    String sql = LOOK_FOR_TASKS_THAT_STAYED_DEAD.on("segment", tenant.tables().segment(segment));
    BoundStatement<List<Long>> look =
        BoundStatement.query(
            LOOK_FOR_TASKS_THAT_STAYED_DEAD.call(), sql, row -> row.getLong(1), (Object) keyed);
    long dead = session.run(look).get(0);
    if (dead > 0) {
      throw new RotaException(
          ("redrive tasks of %s: of %d tasks with keys in segment %d, %d stayed dead; this step is"
                  + " taken back. Look for triggers and rules on the tenant's tables")
              .formatted(tenant.label(), keyed.length, segment, dead));
    }
  }

  /** Takes the keys of the tasks again, and returns the row ids of those tasks. */
  private String[] retakeKeys(Session session, int segment, List<@Nullable Object> binds)
      throws SQLException {
    if (!keyTables.exist(session, tenant)) {
      return new String[0];
    }
    TenantTables tables = tenant.tables();
    return session
        .run(
            BoundStatement.query(
                RETAKE_KEYS.call(),
                RETAKE_KEYS.on("segment", tables.segment(segment), "keys", tables.keys()),
                row -> row.getString(1),
                binds.toArray()))
        .toArray(String[]::new);
  }

  private BoundStatement<Integer> redriveLater(
      Redrive what, int segment, List<@Nullable Object> binds) {
    TenantTables tables = tenant.tables();
    binds.add(what.spread().toNanos() / 1_000);
    String sql = REDRIVE_SPREAD.on("segment", tables.segment(segment), "waiting", tables.waiting());
    return BoundStatement.update(REDRIVE_SPREAD.call(), sql, binds.toArray());
  }

  private interface Work {
    void run(String purpose) throws SQLException;
  }

  /** Runs the work of one segment. A segment that was dropped meanwhile counts as empty. */
  private static void inSegment(String purpose, Work work) {
    try {
      work.run(purpose);
    } catch (SQLException e) {
      if (!SqlErrors.isMissingTable(e)) {
        throw SqlErrors.translate(purpose, e);
      }
    }
  }
}
