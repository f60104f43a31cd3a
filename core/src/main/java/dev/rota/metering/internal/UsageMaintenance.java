package dev.rota.metering.internal;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.maintenance.Backoff;
import dev.rota.internal.maintenance.FailureTracker;
import dev.rota.internal.maintenance.LeaderTransactions;
import dev.rota.internal.maintenance.MaintenanceTask;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.schema.RoleSql;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.TenantRef;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.ListIterator;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jooq.Name;

/**
 * Adds the batches of sealed segments of the ledger to the usage, and measures the storage of
 * tenants once an hour. Used by one thread.
 */
public final class UsageMaintenance implements MaintenanceTask {

  private static final Sql LIST_SEGMENTS_TO_METER = Sql.named("list_segments_to_meter");
  private static final Sql LOCK_SEGMENT_TO_METER = Sql.named("lock_segment_to_meter");
  private static final Sql LOOK_FOR_OPEN_BATCHES = Sql.named("look_for_open_batches_to_meter");
  private static final Sql METER_SEGMENT = Sql.named("meter_segment");
  private static final Sql REFUSE_BATCHES = Sql.named("refuse_batches");
  private static final Sql READ_THE_HOUR = Sql.named("read_the_hour");
  private static final Sql SAMPLE_STORAGE = Sql.named("sample_storage");

  /** The length of a step, after which the other tasks have a turn. */
  private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  private static final int SAMPLED_TOGETHER = 100;

  private final LeaderTransactions transactions;
  private final Supplier<List<TenantRef>> known;
  private final RegistryTables rota;
  private final Map<String, Name> places;
  private final Duration interval;
  private final FailureTracker<Integer> segments =
      new FailureTracker<>("count the usage of ledger segment");
  private final FailureTracker<Integer> samples =
      new FailureTracker<>("measure the storage of tenants from");
  private final List<List<TenantRef>> toSample = new ArrayList<>();
  private long sampledHour;

  /**
   * For one leadership.
   *
   * @param known the tenants that the leader knows
   * @param tick how often the leader looks for what is due
   */
  public UsageMaintenance(
      LeaderTransactions transactions,
      Supplier<List<TenantRef>> known,
      RegistryTables rota,
      Duration tick) {
    this.transactions = transactions;
    this.known = known;
    this.rota = rota;
    this.places =
        Map.of(
            "usage", rota.usage(),
            "tenants", rota.tenants(),
            "ledger_segments", rota.ledgerSegments());
    // Every five seconds with the default tick. By then no process claims into a sealed segment.
    this.interval = tick.multipliedBy(20);
  }

  @Override
  public String name() {
    return "count the usage";
  }

  @Override
  public Duration run() throws SQLException {
    long startedAt = System.nanoTime();
    boolean more = meterSome(startedAt);
    startHour();
    more |= sampleSome(startedAt);
    return more ? Duration.ZERO : Backoff.jittered(interval);
  }

  /**
   * Meters segments, the oldest first; returns whether some are left for the next step. A failing
   * or locked one does not delay the next.
   */
  private boolean meterSome(long startedAt) throws SQLException {
    List<Integer> sealed =
        transactions.transaction(
            name(),
            session ->
                session.run(
                    BoundStatement.query(
                        LIST_SEGMENTS_TO_METER.call(),
                        LIST_SEGMENTS_TO_METER.on(places),
                        row -> row.getInt(1),
                        interval.toMillis())));
    for (int seq : sealed) {
      if (segments.mayTry(seq)) {
        segments.attempt(seq, String.valueOf(seq), () -> meter(seq));
        if (System.nanoTime() - startedAt > STEP_NANOS) {
          return true;
        }
      }
    }
    return false;
  }

  private void meter(int seq) throws SQLException {
    boolean unused =
        transactions.lengthyTransaction(
            "count the usage of ledger segment " + seq, session -> meter(session, seq));
  }

  /**
   * Meters a segment; false if it has open batches, or another daemon was faster. What the lock let
   * in before is visible behind it.
   */
  private boolean meter(Session session, int seq) throws SQLException {
    Map<String, Name> segment =
        Map.of("ledger", rota.ledger(seq), "refuse_batches", rota.refuseBatches());
    session.run(RoleSql.actAsKeeper(rota));
    session.run(
        BoundStatement.update(LOCK_SEGMENT_TO_METER.call(), LOCK_SEGMENT_TO_METER.on(segment)));
    if (hasOpenBatches(session, segment) || !add(session, seq)) {
      return false;
    }
    session.run(BoundStatement.update(REFUSE_BATCHES.call(), REFUSE_BATCHES.on(segment)));
    return true;
  }

  private static boolean hasOpenBatches(Session session, Map<String, Name> segment)
      throws SQLException {
    return session
        .run(
            BoundStatement.query(
                LOOK_FOR_OPEN_BATCHES.call(),
                LOOK_FOR_OPEN_BATCHES.on(segment),
                row -> row.getBoolean(1)))
        .get(0);
  }

  private boolean add(Session session, int seq) throws SQLException {
    Map<String, Name> parts =
        Map.of(
            "usage", rota.usage(),
            "tenants", rota.tenants(),
            "ledger", rota.ledger(seq),
            "ledger_segments", rota.ledgerSegments());
    return session.run(
            BoundStatement.update(METER_SEGMENT.call(), METER_SEGMENT.on(parts), seq, seq))
        == 1;
  }

  /** Plans to measure all tenants when an hour begins. */
  private void startHour() throws SQLException {
    long hour =
        transactions.transaction(
            name(),
            session ->
                session.run(BoundStatement.query(READ_THE_HOUR, row -> row.getLong(1))).get(0));
    if (hour != sampledHour) {
      sampledHour = hour;
      toSample.clear();
      List<TenantRef> all = known.get();
      for (int i = 0; i < all.size(); i += SAMPLED_TOGETHER) {
        toSample.add(all.subList(i, Math.min(all.size(), i + SAMPLED_TOGETHER)));
      }
    }
  }

  /** Measures tenants; returns whether some are left for the next step. */
  private boolean sampleSome(long startedAt) {
    for (ListIterator<List<TenantRef>> left = toSample.listIterator(); left.hasNext(); ) {
      List<TenantRef> some = left.next();
      int first = some.get(0).number();
      if (samples.mayTry(first)) {
        samples.attempt(first, "number " + first, () -> sampleOrSplit(some, left));
        if (System.nanoTime() - startedAt > STEP_NANOS) {
          break;
        }
      }
    }
    return toSample.stream().anyMatch(some -> samples.mayTry(some.get(0).number()));
  }

  /** Measures tenants, or each alone in the next step if a lock keeps the statement from one. */
  private void sampleOrSplit(List<TenantRef> some, ListIterator<List<TenantRef>> place)
      throws SQLException {
    try {
      sample(some);
      place.remove();
    } catch (SQLException e) {
      if (some.size() == 1 || !SqlErrors.isLockConflict(e)) {
        throw e;
      }
      place.remove();
      some.forEach(tenant -> place.add(List.of(tenant)));
    }
  }

  private void sample(List<TenantRef> some) throws SQLException {
    int[] numbers = some.stream().mapToInt(TenantRef::number).toArray();
    String[] schemas =
        some.stream().map(tenant -> tenant.tables().schema().last()).toArray(String[]::new);
    int unused =
        transactions.transaction(
            "measure the storage of tenants",
            session ->
                session.run(
                    BoundStatement.update(
                        SAMPLE_STORAGE.call(), SAMPLE_STORAGE.on(places), numbers, schemas)));
  }
}
