package dev.rota.internal.claim;

import dev.rota.internal.claim.ClaimRequest.ClaimResult;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.enqueue.IdAllocator;
import dev.rota.internal.schema.BatchEnd;
import dev.rota.internal.settle.ClaimedBatch.BatchLocation;
import dev.rota.internal.settle.ClaimedBatch;
import dev.rota.internal.settle.ProcessLease;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.TenantRegistry;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * Numbers batches, and writes their rows of the ledger. A claim for a lease is booked with the
 * lease before it is sent. Thread-safe.
 */
public final class BatchOpener {

  private static final Sql OPEN_BATCHES = Sql.named("open_batches");

  private final IdAllocator ids;
  private final ProcessLease lease;
  private final TenantRegistry registry;

  public BatchOpener(IdAllocator ids, ProcessLease lease, TenantRegistry registry) {
    this.ids = ids;
    this.lease = lease;
    this.registry = registry;
  }

  /** The number of this process as a holder of batches; see {@link ProcessLease#holder}. */
  long holder() {
    return lease.holder();
  }

  /** The last number of this process as a worker. */
  long worker() {
    return lease.worker();
  }

  long[] numbers(int batches, Session session) throws SQLException {
    return ids.take(batches, session);
  }

  /** Rolls the transaction back if this process is no longer that holder. */
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

  /** Writes the rows of batches that have tasks; empty if there are none. */
  Optional<BoundStatement<Integer>> open(long holder, BatchEnd end, List<ClaimResult> claims) {
    List<ClaimedBatch> taken =
        claims.stream().map(ClaimResult::batch).filter(batch -> !batch.tasks().isEmpty()).toList();
    if (taken.isEmpty()) {
      return Optional.empty();
    }
    List<BatchLocation> rows = taken.stream().map(ClaimedBatch::row).toList();
    return Optional.of(
        BoundStatement.storing(
            rows.size(),
            "batches " + rows.stream().map(BatchLocation::id).limit(10).toList(),
            OPEN_BATCHES.call(),
            OPEN_BATCHES.on("ledger", registry.tables().ledger(rows.get(0).ledger())),
            holder,
            end.code(),
            end.code(),
            rows.stream().mapToLong(BatchLocation::id).toArray(),
            rows.stream().mapToLong(row -> row.blocks().first()).toArray(),
            rows.stream().mapToLong(row -> row.blocks().last()).toArray(),
            rows.stream().mapToInt(BatchLocation::tenant).toArray(),
            rows.stream().mapToInt(BatchLocation::segment).toArray(),
            taken.stream().mapToInt(batch -> batch.tasks().size()).toArray()));
  }
}
