package dev.rota.internal;

import dev.rota.internal.db.BatchEnd;
import dev.rota.internal.db.Call;
import dev.rota.internal.db.LedgerSql;
import dev.rota.internal.db.Place;
import dev.rota.internal.db.RotaTables;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.StateCode;
import java.sql.SQLException;
import java.util.List;

/**
 * Returns what an open batch holds to the ring: closes the batch first, since whoever closes it
 * owns the outcome, then moves what is still unsettled. Thread-safe.
 */
public final class BatchReturn {

  private final Engine engine;
  private final RotaTables tables;
  private final TenantRegistry registry;
  private final CancelRequests requests;

  BatchReturn(Engine engine, RotaTables tables, TenantRegistry registry) {
    this.engine = engine;
    this.requests = new CancelRequests(tables);
    this.tables = tables;
    this.registry = registry;
  }

  /**
   * The holder of the batch is dead or does not know of it: the attempt counts.
   *
   * @return how many tasks returned to the ring; 0 as well if somebody else closed the batch
   */
  public int abandon(Session session, BatchRow batch, String reason) throws SQLException {
    return giveBack(session, batch, new Verdict(BatchEnd.ABANDONED, StateCode.LOST, reason, 0));
  }

  /** The holder hands the batch back before it began: the attempt does not count. */
  int release(Session session, BatchRow batch) throws SQLException {
    return giveBack(
        session, batch, new Verdict(BatchEnd.RELEASED, StateCode.RELEASED, "handed back", 1));
  }

  private int giveBack(Session session, BatchRow batch, Verdict verdict) throws SQLException {
    List<Long> closed =
        session.run(
            Call.query(
                LedgerSql.CLOSE.call(),
                LedgerSql.CLOSE.on("ledger", tables.ledger(batch.ledger())),
                row -> row.getLong(1),
                verdict.end().code(),
                new long[] {batch.id()},
                batch.worker()));
    if (closed.isEmpty()) {
      return 0;
    }
    // Read in this transaction: it sees every lane that a task of the batch can be of.
    TenantHandle tenant = registry.read(session, batch.tenant());
    cancelAsked(session, tenant, batch);
    return session.run(
        IntoLanes.returned(
            tenant,
            batch.segment(),
            verdict.state().code(),
            verdict.reason(),
            Place.startOf(batch.blocks().first()),
            Place.startOf(batch.blocks().last() + 1),
            batch.id(),
            verdict.uncounted()));
  }

  /** What was asked to end does not return. */
  private void cancelAsked(Session session, TenantHandle tenant, BatchRow batch)
      throws SQLException {
    Endings endings = new Endings(engine);
    for (Ending ending : requests.cancelUnsettled(session, tenant, batch)) {
      if (ending.isMarked()) {
        endings.add(tenant, ending);
      }
    }
    endings.apply(session);
  }

  private record Verdict(BatchEnd end, StateCode state, String reason, int uncounted) {}
}
