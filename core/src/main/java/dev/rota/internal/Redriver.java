package dev.rota.internal;

import dev.rota.Redrive;
import dev.rota.RotaException;
import dev.rota.internal.db.Call;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Errors;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.Sql;
import dev.rota.internal.db.TenantTables;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Lets dead tasks of a tenant run again: goes through its segments, the newest first, some
 * megabytes in each transaction.
 */
final class Redriver {

  private static final Sql COUNT_DEAD = Sql.named("count_dead");
  private static final Sql RETAKE_KEYS = Sql.named("retake_keys");
  private static final Sql LOOK_FOR_TASKS_THAT_STAYED_DEAD =
      Sql.named("look_for_tasks_that_stayed_dead");
  private static final Sql REDRIVE_SPREAD = Sql.named("redrive_spread");

  private final Database database;
  private final TenantRegistry registry;
  private final FeatureTables keyTables;
  private final Doorbell doorbell;
  private final TenantHandle tenant;

  Redriver(
      Database database,
      TenantRegistry registry,
      FeatureTables keyTables,
      Doorbell doorbell,
      TenantHandle tenant) {
    this.database = database;
    this.registry = registry;
    this.keyTables = keyTables;
    this.doorbell = doorbell;
    this.tenant = tenant;
  }

  long redrive(Redrive what) {
    if (!what.isDryRun()) {
      Enqueuer.refuseClosed(tenant);
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
                new HistoryMap(registry.tables(), tenant.number())
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
            Call.query(
                COUNT_DEAD.call(),
                COUNT_DEAD.on("segment", tenant.tables().segment(segment)),
                row -> row.getLong(1),
                Conditions.of(what).toArray()))
        .get(0);
  }

  private long redrive(Redrive what, int segment) {
    BlockSteps steps = new BlockSteps(database, tenant.tables().segment(segment));
    return inSegment(
        "redrive tasks of " + tenant.label(),
        purpose -> steps.run(purpose, (session, range) -> redrive(session, what, segment, range)));
  }

  private int redrive(Session session, Redrive what, int segment, BlockSteps.Range range)
      throws SQLException {
    List<@Nullable Object> binds = range.after(Conditions.of(what));
    String[] keyed = retakeKeys(session, segment, binds);
    binds.add(keyed);
    int redriven = session.run(redriving(session, what, segment, binds));
    requireRedriven(session, segment, keyed);
    return redriven;
  }

  private Call<Integer> redriving(
      Session session, Redrive what, int segment, List<@Nullable Object> binds)
      throws SQLException {
    if (!what.spread().isZero()) {
      return redriveLater(what, segment, binds);
    }
    // Read in this transaction: it sees every lane that a task can be of.
    TenantHandle now = registry.read(session, tenant.number());
    return IntoLanes.redriven(now, segment, binds.toArray());
  }

  /** A task that stayed dead with its key taken again would keep that key for ever. */
  private void requireRedriven(Session session, int segment, String[] keyed) throws SQLException {
    if (keyed.length == 0) {
      return;
    }
    String sql = LOOK_FOR_TASKS_THAT_STAYED_DEAD.on("segment", tenant.tables().segment(segment));
    Call<List<Long>> look =
        Call.query(
            LOOK_FOR_TASKS_THAT_STAYED_DEAD.call(), sql, row -> row.getLong(1), (Object) keyed);
    long dead = session.run(look).get(0);
    if (dead > 0) {
      throw new RotaException(
          ("redrive tasks of %s: of %d tasks with keys in segment %d, %d stayed dead; this step is"
                  + " taken back. Look for triggers and rules on the tenant's tables")
              .formatted(tenant.label(), keyed.length, segment, dead));
    }
  }

  /** Where the tasks are that have their keys again. */
  private String[] retakeKeys(Session session, int segment, List<@Nullable Object> binds)
      throws SQLException {
    if (!keyTables.exist(session, tenant)) {
      return new String[0];
    }
    TenantTables tables = tenant.tables();
    return session
        .run(
            Call.query(
                RETAKE_KEYS.call(),
                RETAKE_KEYS.on("segment", tables.segment(segment), "keys", tables.keys()),
                row -> row.getString(1),
                binds.toArray()))
        .toArray(String[]::new);
  }

  private Call<Integer> redriveLater(Redrive what, int segment, List<@Nullable Object> binds) {
    TenantTables tables = tenant.tables();
    binds.add(what.spread().toNanos() / 1_000);
    String sql = REDRIVE_SPREAD.on("segment", tables.segment(segment), "waiting", tables.waiting());
    return Call.update(REDRIVE_SPREAD.call(), sql, binds.toArray());
  }

  private interface Work {
    long run(String purpose) throws SQLException;
  }

  /** A segment that was dropped meanwhile holds nothing any more. */
  private static long inSegment(String purpose, Work work) {
    try {
      return work.run(purpose);
    } catch (SQLException e) {
      if (Errors.isMissingTable(e)) {
        return 0;
      }
      throw Errors.translate(purpose, e);
    }
  }
}
