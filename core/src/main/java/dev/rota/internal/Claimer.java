package dev.rota.internal;

import dev.rota.internal.db.BatchEnd;
import dev.rota.internal.db.Call;
import dev.rota.internal.db.Errors;
import dev.rota.internal.db.LedgerSql;
import dev.rota.internal.db.RingSql;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.SqlTemplate;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Moves batches from the rings of several tenants into their histories, in one transaction: gates
 * in one flush, claims in the next, rows of the ledger in the last. Thread-safe.
 *
 * <p>The advisory-lock gate and the delete by {@code ctid} into history follow the design that
 * Alibaba Cloud published for task scheduling on RDS PostgreSQL (2017).
 */
public final class Claimer {

  private final Engine engine;
  private final Terms terms;
  private final BatchEnd end;
  private final UnknownKinds unknownKinds;
  // A hint is about the rows of these kinds that are left, so it belongs to one set of kinds.
  private final Map<Integer, SlotHints> hints = new ConcurrentHashMap<>();

  /**
   * For one set of kinds.
   *
   * @param kinds the kinds to claim, or null for all
   * @param end {@link BatchEnd#OPEN} for a lease; {@link BatchEnd#SETTLED} to close as it is
   *     claimed
   */
  public Claimer(Engine engine, @Nullable Set<String> kinds, BatchEnd end) {
    this.engine = engine;
    this.terms =
        new Terms(
            engine.settings().lockNamespace(),
            kinds == null ? null : List.copyOf(kinds),
            kinds == null ? RingSql.CLAIM : RingSql.CLAIM_KINDS);
    this.end = end;
    this.unknownKinds = new UnknownKinds(terms);
  }

  /** What the statements of all claims have in common. */
  record Terms(int lockNamespace, @Nullable List<String> kinds, SqlTemplate statement) {}

  /**
   * Claims in a transaction of its own. A table that is gone means that the registry was stale: the
   * transaction is repeated once with fresh knowledge.
   *
   * @return a claim for each request, by ascending number of the tenant
   * @throws dev.rota.RotaException if the claim failed; nothing is claimed then, unless the outcome
   *     is unknown, in which case the batches return to the ring within a lease
   */
  public List<Claim> claim(List<ClaimRequest> requests) {
    try {
      return tryClaim(requests);
    } catch (SQLException first) {
      if (!Errors.isMissingTable(first)) {
        throw Errors.translate(purpose(requests), first);
      }
      engine.registry().refresh();
      try {
        return tryClaim(requests);
      } catch (SQLException second) {
        throw Errors.translate(purpose(requests), second);
      }
    }
  }

  private List<Claim> tryClaim(List<ClaimRequest> requests) throws SQLException {
    long holder = engine.lease().holder();
    long[] ids = engine.batchIds().take(requests.size());
    hold(ids);
    List<TenantVisit> visits = new ArrayList<>();
    try {
      List<Claim> claims =
          engine
              .database()
              .tryTransaction(
                  purpose(requests), session -> claimIn(session, requests, holder, ids, visits));
      dropEmpty(ids, claims);
      return claims;
    } catch (SQLException | RuntimeException | Error e) {
      visits.forEach(TenantVisit::undo);
      drop(ids);
      throw e;
    }
  }

  /** Claims inside a transaction that the caller commits, for handlers that run in it. */
  public List<Claim> claimIn(Session session, List<ClaimRequest> requests) throws SQLException {
    List<TenantVisit> visits = new ArrayList<>();
    try {
      long[] ids = engine.batchIds().take(requests.size(), session);
      return claimIn(session, requests, 0, ids, visits);
    } catch (SQLException | RuntimeException | Error e) {
      visits.forEach(TenantVisit::undo);
      throw e;
    }
  }

  /** The rows that a transaction had claimed are back: look at the tenant from block 0 again. */
  public void forgetHints(TenantHandle tenant) {
    hintsOf(tenant).forget();
  }

  private List<Claim> claimIn(
      Session session,
      List<ClaimRequest> requests,
      long holder,
      long[] ids,
      List<TenantVisit> visits)
      throws SQLException {
    int ledger = engine.registry().newestLedger(session);
    List<ClaimRequest> inOrder = new ArrayList<>(requests);
    inOrder.sort(Comparator.comparingInt(request -> request.tenant().number()));
    Set<Integer> open = takeGates(session, inOrder);
    List<Claim> claims = new ArrayList<>();
    for (int i = 0; i < inOrder.size(); i++) {
      ClaimRequest request = inOrder.get(i);
      if (open.contains(request.tenant().number())) {
        visits.add(new TenantVisit(request, hintsOf(request.tenant()), terms, ids[i]));
      } else {
        claims.add(busy(request, ids[i], ledger));
      }
    }
    visitAll(session, visits);
    unknownKinds.lookIn(session, visits);
    visits.forEach(visit -> claims.add(visit.result(ledger)));
    claims.sort(Comparator.comparingInt(claim -> claim.tenant().number()));
    openBatches(session, ledger, holder, claims);
    return claims;
  }

  private Set<Integer> takeGates(Session session, List<ClaimRequest> inOrder) throws SQLException {
    int[] numbers = inOrder.stream().mapToInt(request -> request.tenant().number()).toArray();
    Set<Integer> open = new HashSet<>();
    session.run(
        Call.query(
            RingSql.GATE.call(),
            RingSql.GATE.text(),
            row -> row.getBoolean(2) && open.add(row.getInt(1)),
            terms.lockNamespace(),
            numbers));
    return open;
  }

  /** In rounds: each tenant's next statement, all in one flush. */
  private static void visitAll(Session session, List<TenantVisit> visits) throws SQLException {
    while (true) {
      List<TenantVisit> asking = new ArrayList<>();
      List<Call<List<ClaimedTask>>> calls = new ArrayList<>();
      for (TenantVisit visit : visits) {
        Call<List<ClaimedTask>> call = visit.nextCall();
        if (call != null) {
          asking.add(visit);
          calls.add(call);
        }
      }
      if (calls.isEmpty()) {
        return;
      }
      List<List<ClaimedTask>> results = session.runTogether(calls);
      for (int i = 0; i < results.size(); i++) {
        asking.get(i).accept(results.get(i));
      }
    }
  }

  private void openBatches(Session session, int ledger, long holder, List<Claim> claims)
      throws SQLException {
    List<Claim> taken = claims.stream().filter(claim -> !claim.tasks().isEmpty()).toList();
    if (taken.isEmpty()) {
      return;
    }
    session.run(
        Call.update(
            LedgerSql.OPEN.call(),
            LedgerSql.OPEN.on("ledger", engine.tables().ledger(ledger)),
            holder,
            end.code(),
            end.code(),
            taken.stream().mapToLong(claim -> claim.batch().id()).toArray(),
            taken.stream().mapToLong(claim -> claim.batch().row().blocks().first()).toArray(),
            taken.stream().mapToLong(claim -> claim.batch().row().blocks().last()).toArray(),
            taken.stream().mapToInt(claim -> claim.tenant().number()).toArray(),
            taken.stream().mapToInt(claim -> claim.batch().row().segment()).toArray(),
            taken.stream().mapToInt(claim -> claim.tasks().size()).toArray()));
  }

  private SlotHints hintsOf(TenantHandle tenant) {
    return hints.computeIfAbsent(tenant.number(), unused -> new SlotHints());
  }

  private static Claim busy(ClaimRequest request, long id, int ledger) {
    BatchRow row =
        new BatchRow(id, ledger, request.tenant().number(), 0, new BatchRow.Blocks(0, 0));
    return new Claim(
        request.tenant(), new ClaimedBatch(request.tenant(), row, List.of()), Claim.Standing.BUSY);
  }

  private void hold(long[] ids) {
    if (end == BatchEnd.OPEN) {
      for (long id : ids) {
        engine.lease().hold(id);
      }
    }
  }

  private void drop(long[] ids) {
    for (long id : ids) {
      engine.lease().drop(id);
    }
  }

  private void dropEmpty(long[] ids, List<Claim> claims) {
    Set<Long> used = new HashSet<>();
    claims.stream()
        .filter(claim -> !claim.tasks().isEmpty())
        .forEach(claim -> used.add(claim.batch().id()));
    for (long id : ids) {
      if (!used.contains(id)) {
        engine.lease().drop(id);
      }
    }
  }

  private static String purpose(List<ClaimRequest> requests) {
    return requests.size() == 1
        ? "claim from " + requests.get(0).tenant().label()
        : "claim from " + requests.size() + " tenants";
  }
}
