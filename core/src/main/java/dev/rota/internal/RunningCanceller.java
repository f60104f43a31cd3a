package dev.rota.internal;

import dev.rota.RotaException;
import dev.rota.TaskFilter;
import dev.rota.internal.db.Call;
import dev.rota.internal.db.CancelSql;
import dev.rota.internal.db.Errors;
import dev.rota.internal.db.LedgerSql;
import dev.rota.internal.db.Place;
import dev.rota.internal.db.Session;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jooq.Name;
import org.jspecify.annotations.Nullable;

/** Asks the running tasks of a tenant to end, one open batch in each transaction. */
final class RunningCanceller {

  /** All blocks that a table can have. */
  private static final List<Place> EVERYWHERE =
      List.of(Place.startOf(0), Place.startOf(4_294_967_294L));

  private final Engine engine;
  private final TenantHandle tenant;

  RunningCanceller(Engine engine, TenantHandle tenant) {
    this.engine = engine;
    this.tenant = tenant;
  }

  long cancel(TaskFilter which, String reason) {
    String purpose = "ask running tasks of " + tenant.label() + " to end";
    List<@Nullable Object> conditions = Conditions.of(which);
    try {
      long asked = 0;
      for (BatchRow batch : engine.database().tryTransaction(purpose, this::openBatches)) {
        asked += ask(purpose, batch, conditions, Failures.cut(reason));
      }
      return asked;
    } catch (SQLException e) {
      if (Errors.isMissingRegistry(e)) {
        throw Errors.schemaMissing(engine.tables().schema());
      }
      throw Errors.translate(purpose, e);
    }
  }

  private List<BatchRow> openBatches(Session session) throws SQLException {
    return session.run(
        BatchRow.find(
            engine.tables(), "where b.tenant = ? and b.closed_at is null", tenant.number()));
  }

  private int ask(String purpose, BatchRow batch, List<@Nullable Object> conditions, String reason)
      throws SQLException {
    return engine
        .database()
        .tryTransaction(
            purpose,
            session -> isOpen(session, batch) ? ask(session, batch, conditions, reason) : 0);
  }

  /**
   * Nobody closes it before this transaction ends, and nobody drops its tables. Looked up again,
   * since its segment of the ledger may be gone by now.
   */
  private boolean isOpen(Session session, BatchRow batch) throws SQLException {
    return !session
            .run(
                BatchRow.find(
                    engine.tables(), "where b.id = ? and b.closed_at is null", batch.id()))
            .isEmpty()
        && !session
            .run(
                Call.query(
                    LedgerSql.FENCE.call(),
                    LedgerSql.FENCE.on("ledger", ledger(batch)),
                    row -> row.getLong(1),
                    new long[] {batch.id()},
                    batch.worker()))
            .isEmpty();
  }

  /**
   * Where the batch was claimed, and then in the whole segment: tasks that have ended have left
   * those blocks, and a rewrite has moved all of them.
   */
  private int ask(Session session, BatchRow batch, List<@Nullable Object> conditions, String reason)
      throws SQLException {
    List<@Nullable Object> binds = new ArrayList<>(List.of(reason, batch.id()));
    binds.addAll(conditions);
    int asked = ask(session, batch, binds, batch.blocks().places());
    if (missing(session, batch, batch.blocks().places()) > 0) {
      asked += ask(session, batch, binds, EVERYWHERE);
      requireAll(session, batch);
    }
    return asked;
  }

  private int ask(
      Session session, BatchRow batch, List<@Nullable Object> conditions, List<Place> range)
      throws SQLException {
    List<@Nullable Object> binds = new ArrayList<>(conditions);
    binds.addAll(range);
    return session.run(
        Call.update(
            CancelSql.REQUEST.call(),
            CancelSql.REQUEST.on(
                Map.of(
                    "requests", engine.tables().cancelRequests(),
                    "ledger", ledger(batch),
                    "segment", tenant.tables().segment(batch.segment()))),
            binds.toArray()));
  }

  /** How many tasks of a batch have no row in a range of blocks. */
  private long missing(Session session, BatchRow batch, List<Place> range) throws SQLException {
    return session
        .run(
            Call.query(
                CancelSql.FOUND.call(),
                CancelSql.FOUND.on(
                    "ledger", ledger(batch),
                    "segment", tenant.tables().segment(batch.segment())),
                row -> row.getLong(1) - row.getLong(2),
                range.get(0),
                range.get(1),
                batch.id()))
        .get(0);
  }

  private void requireAll(Session session, BatchRow batch) throws SQLException {
    long missing = missing(session, batch, EVERYWHERE);
    if (missing > 0) {
      throw new RotaException(
          ("ask running tasks of %s to end: %d tasks of batch %d have no row in segment %d of its"
                  + " history; put them back from a backup")
              .formatted(tenant.label(), missing, batch.id(), batch.segment()));
    }
  }

  private Name ledger(BatchRow batch) {
    return engine.tables().ledger(batch.ledger());
  }
}
