package dev.rota.internal;

import dev.rota.internal.db.BatchEnd;
import dev.rota.internal.db.Call;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.Sql;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * Gives batches their numbers, and writes their rows of the ledger. What is claimed for a lease is
 * booked with it before the claim is sent. Thread-safe.
 */
final class BatchOpener {

  private static final Sql OPEN_BATCHES = Sql.named("open_batches");

  private final IdBlocks ids;
  private final Lease lease;
  private final TenantRegistry registry;

  BatchOpener(IdBlocks ids, Lease lease, TenantRegistry registry) {
    this.ids = ids;
    this.lease = lease;
    this.registry = registry;
  }

  /** The number of this process as a holder of batches; see {@link Lease#holder}. */
  long holder() {
    return lease.holder();
  }

  long[] numbers(int batches, Session session) throws SQLException {
    return ids.take(batches, session);
  }

  /** Takes the transaction back if this process is not that holder any more. */
  void relyOn(long holder, Session session) throws SQLException {
    session.relyOn(() -> lease.isHolder(holder));
  }

  void hold(long batch) {
    lease.hold(batch);
  }

  void drop(long batch) {
    lease.drop(batch);
  }

  /** The segment of the ledger into which the rows are written. */
  int ledger(Session session) throws SQLException {
    return registry.newestLedger(session);
  }

  /** Writes the rows of those batches that have tasks; empty if there are none. */
  Optional<Call<Integer>> open(long holder, BatchEnd end, List<Claim> claims) {
    List<ClaimedBatch> taken =
        claims.stream().map(Claim::batch).filter(batch -> !batch.tasks().isEmpty()).toList();
    if (taken.isEmpty()) {
      return Optional.empty();
    }
    List<BatchRow> rows = taken.stream().map(ClaimedBatch::row).toList();
    return Optional.of(
        Call.storing(
            rows.size(),
            "batches " + rows.stream().map(BatchRow::id).limit(10).toList(),
            OPEN_BATCHES.call(),
            OPEN_BATCHES.on("ledger", registry.tables().ledger(rows.get(0).ledger())),
            holder,
            end.code(),
            end.code(),
            rows.stream().mapToLong(BatchRow::id).toArray(),
            rows.stream().mapToLong(row -> row.blocks().first()).toArray(),
            rows.stream().mapToLong(row -> row.blocks().last()).toArray(),
            rows.stream().mapToInt(BatchRow::tenant).toArray(),
            rows.stream().mapToInt(BatchRow::segment).toArray(),
            taken.stream().mapToInt(batch -> batch.tasks().size()).toArray()));
  }
}
