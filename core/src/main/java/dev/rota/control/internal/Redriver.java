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
import org.jspecify.annotations.Nullable;

/**
 * Redrives dead tasks of a tenant segment by segment, the newest first, some megabytes in each
 * transaction.
 */
public final class Redriver {

  private static final Sql COUNT_DEAD = Sql.named("count_dead");
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

  public long redrive(Redrive what) {
    if (!what.isDryRun()) {
      tenant.refuseClosed();
    }
    long tasks = 0;
    for (int segment : segments()) {
      tasks += what.isDryRun() ? count(what, segment) : redrive(what, segment);
    }
    if (tasks > 0 && !what.isDryRun() && what.spread().isZero()) {
      doorbell.ring(tenant.number());
    }
    return tasks;
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

  private long count(Redrive what, int segment) {
    return inSegment(
        "count dead tasks of " + tenant.label(),
        purpose ->
            database.readings().tryTransaction(purpose, session -> count(session, what, segment)));
  }

  private long count(Session session, Redrive what, int segment) throws SQLException {
    return session
        .run(
            BoundStatement.query(
                COUNT_DEAD.call(),
                COUNT_DEAD.on("segment", tenant.tables().segment(segment)),
                row -> row.getLong(1),
                FilterBinds.of(what).toArray()))
        .get(0);
  }

  private long redrive(Redrive what, int segment) {
    BlockRanges steps = new BlockRanges(database, tenant.tables().segment(segment));
    return inSegment(
        "redrive tasks of " + tenant.label(),
        purpose -> steps.run(purpose, (session, range) -> redrive(session, what, segment, range)));
  }

  private int redrive(Session session, Redrive what, int segment, BlockRange range)
      throws SQLException {
    List<@Nullable Object> binds = range.after(FilterBinds.of(what));
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
    long run(String purpose) throws SQLException;
  }

  /** Runs the work of one segment. A segment that was dropped meanwhile counts as empty. */
  private static long inSegment(String purpose, Work work) {
    try {
      return work.run(purpose);
    } catch (SQLException e) {
      if (SqlErrors.isMissingTable(e)) {
        return 0;
      }
      throw SqlErrors.translate(purpose, e);
    }
  }
}
