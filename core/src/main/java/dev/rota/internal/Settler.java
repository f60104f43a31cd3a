package dev.rota.internal;

import dev.rota.internal.db.BatchEnd;
import dev.rota.internal.db.Call;
import dev.rota.internal.db.Errors;
import dev.rota.internal.db.LedgerSql;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.SqlTemplate;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jooq.Name;
import org.jspecify.annotations.Nullable;

/**
 * Writes the outcomes of many batches in one transaction: the ledger first, which tells whose lease
 * still holds, then the exceptions of those alone. Thread-safe.
 */
public final class Settler {

  private final Engine engine;
  private final CancelRequests requests;

  /** For the batches of one Rota. */
  public Settler(Engine engine) {
    this.engine = engine;
    this.requests = new CancelRequests(engine.tables());
  }

  /**
   * Settles.
   *
   * @return what was written
   * @throws dev.rota.RotaException if nothing was written, or if that is unknown; settling again is
   *     safe in either case
   */
  public Settled settle(List<Settlement> settlements) {
    Settled settled = new Settled();
    ledgers(settlements).values().forEach(ledger -> settled.add(settleLedger(ledger)));
    settlements.stream()
        .filter(Settlement::closing)
        .forEach(settlement -> engine.lease().drop(settlement.batch().id()));
    return settled;
  }

  /** Writes outcomes inside a transaction in which the batches were claimed. */
  public void settleIn(Session session, List<Outcome> outcomes, ClaimedBatch batch)
      throws SQLException {
    OutcomeCalls exceptions = new OutcomeCalls().add(batch, outcomes, true);
    List<Call<Integer>> calls = exceptions.calls();
    if (!calls.isEmpty()) {
      session.runTogether(calls);
      exceptions.announce(session, engine.doorbell());
    }
    new Endings(engine).add(outcomes).apply(session);
  }

  private static Map<Integer, List<Settlement>> ledgers(List<Settlement> settlements) {
    Map<Integer, List<Settlement>> byLedger = new TreeMap<>();
    for (Settlement settlement : settlements) {
      byLedger
          .computeIfAbsent(settlement.batch().row().ledger(), seq -> new ArrayList<>())
          .add(settlement);
    }
    return byLedger;
  }

  private Settled settleLedger(List<Settlement> settlements) {
    String purpose = "settle " + settlements.size() + " batches";
    try {
      return engine
          .database()
          .tryTransaction(purpose, session -> settleLedgerIn(session, settlements));
    } catch (SQLException e) {
      if (Errors.isMissingTable(e)) {
        // A segment of the ledger is dropped only when all its batches are closed: by others, then.
        return new Settled();
      }
      throw Errors.translate(purpose, e);
    }
  }

  private Settled settleLedgerIn(Session session, List<Settlement> settlements)
      throws SQLException {
    Name ledger = engine.tables().ledger(settlements.get(0).batch().row().ledger());
    long[] closing = ids(settlements, Settlement::closing);
    Set<Long> open = new HashSet<>(close(session, ledger, closing));
    open.addAll(fence(session, ledger, ids(settlements, settlement -> !settlement.closing())));
    List<Settlement> valid =
        settlements.stream().filter(settlement -> open.contains(settlement.batch().id())).toList();
    Settled settled = new Settled();
    writeExceptions(session, heeding(session, valid, settled));
    settled.addOwned(open);
    settled.addOwned(settledBefore(session, ledger, closing, open));
    return settled;
  }

  private static long[] ids(List<Settlement> settlements, Predicate<Settlement> which) {
    return settlements.stream()
        .filter(which)
        .mapToLong(settlement -> settlement.batch().id())
        .sorted()
        .toArray();
  }

  private static List<Long> close(Session session, Name ledger, long[] ids) throws SQLException {
    return find(session, LedgerSql.CLOSE, ledger, ids, BatchEnd.SETTLED.code(), ids);
  }

  private static List<Long> fence(Session session, Name ledger, long[] ids) throws SQLException {
    return find(session, LedgerSql.FENCE, ledger, ids, ids);
  }

  /** Only the holder settles: a batch that is settled already is one whose answer was lost. */
  private static List<Long> settledBefore(
      Session session, Name ledger, long[] closing, Set<Long> open) throws SQLException {
    long[] missing = Arrays.stream(closing).filter(id -> !open.contains(id)).toArray();
    return find(session, LedgerSql.ENDED, ledger, missing, missing, BatchEnd.SETTLED.code());
  }

  private static List<Long> find(
      Session session, SqlTemplate statement, Name ledger, long[] ids, @Nullable Object... binds)
      throws SQLException {
    if (ids.length == 0) {
      return List.of();
    }
    return session.run(
        Call.query(statement.call(), statement.on("ledger", ledger), row -> row.getLong(1), binds));
  }

  /**
   * Outcomes after which tasks would run again are replaced where somebody asked for their end. The
   * batches are locked by now, so that nobody can ask after this. Costs a statement, and only where
   * there are such outcomes.
   */
  private List<Settlement> heeding(Session session, List<Settlement> settlements, Settled settled)
      throws SQLException {
    long[] concerned =
        ids(settlements, one -> one.outcomes().stream().anyMatch(CancelRequests::concern));
    if (concerned.length == 0) {
      return settlements;
    }
    Map<Long, String> reasons = requests.reasons(session, concerned);
    if (reasons.isEmpty()) {
      return settlements;
    }
    requests.remove(session, ids(settlements, Settlement::closing));
    return settlements.stream().map(one -> settled.heed(one, reasons)).toList();
  }

  private void writeExceptions(Session session, List<Settlement> settlements) throws SQLException {
    OutcomeCalls exceptions = new OutcomeCalls();
    Endings endings = new Endings(engine);
    for (Settlement settlement : settlements) {
      exceptions.add(settlement.batch(), settlement.outcomes(), settlement.closing());
      endings.add(settlement.outcomes());
    }
    for (Call<Integer> call : exceptions.calls()) {
      session.run(call);
    }
    exceptions.announce(session, engine.doorbell());
    endings.apply(session);
  }
}
