package dev.rota.internal;

import dev.rota.internal.ClaimedTask.CancelCheck;
import dev.rota.internal.db.BatchEnd;
import dev.rota.internal.db.Call;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Errors;
import dev.rota.internal.db.OtherHistoryException;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.Sql;
import dev.rota.internal.log.Logs;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Moves batches from the rings of several tenants into their histories, in one transaction: gates
 * and claims in one flush, rows of the ledger and the COMMIT in the next. Thread-safe.
 *
 * <p>The advisory-lock gate and the delete by {@code ctid} into history follow the design that
 * Alibaba Cloud published for task scheduling on RDS PostgreSQL (2017).
 */
public final class Claimer {

  private static final Sql GATE = Sql.named("gate");
  private static final Sql OPEN_BATCHES = Sql.named("open_batches");

  private static final Logger log = Logs.of(Claimer.class);

  /** Books batches that are closed as they are claimed, inside a transaction of handlers. */
  private static final long NO_WORKER = 0;

  private static final int MOST_CURES = 100;

  /** What is claimed at once takes up to three times as much memory while it is read. */
  private static final long MOST_BYTES = Runtime.getRuntime().maxMemory() / 8;

  private final Engine engine;
  private final ClaimTerms terms;
  private final BatchEnd end;
  private final UnknownKinds unknownKinds;
  // A hint is about the rows of these kinds that are left, so it belongs to one set of kinds.
  private final Map<Integer, LaneHints> hints = new ConcurrentHashMap<>();
  private final Map<Integer, ClaimBound> bounds = new ConcurrentHashMap<>();
  private final Isolator isolator;
  private final long mostBytes;

  /**
   * For one set of kinds.
   *
   * @param kinds the kinds to claim, or null for all
   * @param end {@link BatchEnd#OPEN} for a lease; {@link BatchEnd#SETTLED} to close as it is
   *     claimed
   */
  public Claimer(Engine engine, @Nullable Set<String> kinds, BatchEnd end) {
    this(engine, kinds, end, kinds, MOST_BYTES);
  }

  /**
   * For one of several sets of kinds of a worker.
   *
   * @param known the kinds of all of them, others being told to the log; null to look for none
   * @param mostBytes how many bytes the payloads of one claim may have together
   */
  public Claimer(
      Engine engine,
      @Nullable Set<String> kinds,
      BatchEnd end,
      @Nullable Set<String> known,
      long mostBytes) {
    this.mostBytes = mostBytes;
    this.engine = engine;
    this.terms =
        new ClaimTerms(
            engine.settings().lockNamespace(),
            kinds == null ? null : List.copyOf(kinds),
            // Only what is leased can be asked to end while it runs.
            end == BatchEnd.OPEN ? engine.cancelWatch() : CancelCheck.NEVER);
    this.end = end;
    this.unknownKinds = new UnknownKinds(engine, known);
    this.isolator = new Isolator(engine, terms.kinds(), mostBytes);
  }

  /**
   * Claims in a transaction of its own. A table that is gone means that the registry was stale: the
   * transaction is repeated once with fresh knowledge.
   *
   * @return a claim for each request, by ascending number of the tenant
   * @throws dev.rota.RotaException if the claim failed; nothing is claimed then, unless the outcome
   *     is unknown, in which case the batches return to the ring within a lease
   */
  public List<Claim> claim(List<ClaimRequest> requests) {
    return claim(engine.database(), requests);
  }

  /** The same over a connection that the caller keeps. */
  public List<Claim> claim(Database database, List<ClaimRequest> requests) {
    boolean anew = false;
    for (int failures = 0; ; failures++) {
      try {
        return claimOnce(database, bounded(requests));
      } catch (SQLException e) {
        if (!anew && isStale(e)) {
          anew = true;
        } else if (failures > MOST_CURES || !cure(database, requests, e, failures == 0)) {
          throw Errors.translate(purpose(requests), e);
        }
      }
    }
  }

  /** What this process knows of the database is too old: it knows better now. */
  private boolean isStale(SQLException e) {
    boolean missing = Errors.isMissingTable(e);
    if (missing) {
      engine.registry().refresh();
    }
    return missing || e instanceof OtherHistoryException;
  }

  private List<Claim> claimOnce(Database database, List<ClaimRequest> requests)
      throws SQLException {
    try {
      return claimLightFirst(database, requests);
    } catch (OutOfMemoryError e) {
      throw Errors.outOfMemory(e);
    }
  }

  /** Weighs those tenants whose payloads turn out not to be small. */
  private List<Claim> claimLightFirst(Database database, List<ClaimRequest> requests)
      throws SQLException {
    while (true) {
      try {
        return tryClaim(database, requests);
      } catch (LargePayloadException e) {
        log.debug("a claim is repeated by weight: {}", e.getMessage());
      }
    }
  }

  /** With several tenants, the caller finds out by itself which one is in trouble. */
  private boolean cure(
      Database database, List<ClaimRequest> requests, SQLException failure, boolean first) {
    if (requests.size() > 1) {
      if (Errors.isOutOfMemory(failure)) {
        requests.forEach(request -> boundOf(request.tenant()).lighten(request.max()));
      }
      return false;
    }
    ClaimRequest request = requests.get(0);
    try {
      return isolator.cure(
          new Isolator.FailedClaim(database, request, boundOf(request.tenant()), failure), first);
    } catch (SQLException e) {
      failure.addSuppressed(e);
      return false;
    }
  }

  /**
   * After a claim inside a transaction that the caller has rolled back: sets aside what made it
   * fail, if that were rows of the tenant.
   */
  public void cure(ClaimRequest request, SQLException failure) {
    boolean unused = cure(engine.database(), List.of(request), failure, true);
  }

  private List<ClaimRequest> bounded(List<ClaimRequest> requests) {
    return requests.stream()
        .map(request -> request.upTo(boundOf(request.tenant()).rows(request.max())))
        .toList();
  }

  private ClaimBound boundOf(TenantHandle tenant) {
    return bounds.computeIfAbsent(tenant.number(), unused -> new ClaimBound());
  }

  private List<Claim> tryClaim(Database database, List<ClaimRequest> requests) throws SQLException {
    long holder = engine.lease().holder();
    List<Long> held = new ArrayList<>();
    List<TenantVisit> visits = new ArrayList<>();
    try {
      List<Claim> claims =
          database.tryTransaction(
              purpose(requests),
              session -> {
                long[] ids = engine.batchIds().take(requests.size(), session);
                session.relyOn(() -> engine.lease().isHolder(holder));
                hold(ids, held);
                List<Claim> made =
                    claimIn(session, new Batches(holder, requests, false), ids, visits);
                endAtOnce(session, made);
                openBatches(holder, made).ifPresent(session::runLast);
                return made;
              });
      dropEmpty(held, claims);
      succeeded(visits);
      return claims;
    } catch (SQLException | RuntimeException | Error e) {
      undo(visits);
      held.forEach(engine.lease()::drop);
      throw e;
    }
  }

  private void succeeded(List<TenantVisit> visits) {
    visits.forEach(visit -> boundOf(visit.tenant()).succeeded(visit.hasLarge(), visit.hasAny()));
  }

  private void undo(List<TenantVisit> visits) {
    for (TenantVisit visit : visits) {
      visit.undo();
      boundOf(visit.tenant()).failedIn(visit.lastSlot());
    }
  }

  /** Tasks of batches that are closed as they are claimed have ended for all the database knows. */
  private void endAtOnce(Session session, List<Claim> claims) throws SQLException {
    if (end == BatchEnd.SETTLED) {
      Endings endings = new Endings();
      claims.forEach(claim -> endings.addDone(claim.batch().tasks()));
      engine.endEffects().apply(session, endings);
    }
  }

  /** Claims inside a transaction that the caller commits, for handlers that run in it. */
  public List<Claim> claimIn(Session session, List<ClaimRequest> requests) throws SQLException {
    List<TenantVisit> visits = new ArrayList<>();
    try {
      long[] ids = engine.batchIds().take(requests.size(), session);
      List<Claim> claims =
          claimIn(session, new Batches(NO_WORKER, bounded(requests), true), ids, visits);
      Optional<Call<Integer>> open = openBatches(NO_WORKER, claims);
      if (open.isPresent()) {
        session.run(open.get());
      }
      succeeded(visits);
      return claims;
    } catch (SQLException | RuntimeException | Error e) {
      undo(visits);
      throw e;
    }
  }

  /** Nothing will be claimed any more. */
  public void close() {
    unknownKinds.stop();
  }

  /** The rows that a transaction had claimed are back: look at the tenant from block 0 again. */
  public void forgetHints(TenantHandle tenant) {
    hintsOf(tenant).forget();
  }

  /**
   * What is to be claimed in one transaction.
   *
   * @param worker who holds them
   * @param requests what to claim from each tenant
   * @param weighed whether to add up bytes in any case: where the claim cannot be repeated
   */
  private record Batches(long worker, List<ClaimRequest> requests, boolean weighed) {}

  private List<Claim> claimIn(
      Session session, Batches batches, long[] ids, List<TenantVisit> visits) throws SQLException {
    int ledger = engine.registry().newestLedger(session);
    List<ClaimRequest> inOrder = new ArrayList<>(batches.requests);
    inOrder.sort(Comparator.comparingInt(request -> request.tenant().number()));
    visits.clear();
    for (int i = 0; i < inOrder.size(); i++) {
      ClaimRequest request = inOrder.get(i);
      long bytes = Math.max(1, mostBytes / inOrder.size());
      boolean weighed =
          batches.weighed
              || boundOf(request.tenant()).isWeighed()
              || (long) request.max() * ClaimTerms.LARGEST_LIGHT > bytes;
      TenantVisit.Share share = new TenantVisit.Share(ids[i], bytes, weighed);
      visits.add(new TenantVisit(request, hintsOf(request.tenant()), terms, share));
    }
    takeGates(session, visits);
    visitAll(session, visits);
    EmptySlots.measure(session, visits);
    for (TenantVisit visit : visits) {
      visit.setAsideOdd(session, engine.oddRows());
      visit.lookUpVersions(session);
    }
    unknownKinds.lookIn(session, visits);
    return visits.stream().map(visit -> visit.result(batches.worker, ledger)).toList();
  }

  /** In the flush of the first claims. */
  private void takeGates(Session session, List<TenantVisit> visits) {
    Map<Integer, TenantVisit> byNumber = new HashMap<>();
    visits.forEach(visit -> byNumber.put(visit.tenant().number(), visit));
    session.runAhead(
        Call.repeated(
            GATE.call(),
            GATE.repeated(),
            row -> {
              TenantVisit visit = byNumber.get(row.getInt(1));
              return row.getBoolean(2) && visit != null && visit.enter();
            },
            terms.lockNamespace(),
            visits.stream().mapToInt(visit -> visit.tenant().number()).toArray()));
  }

  /** In rounds: each tenant's next statement, all in one flush. */
  private void visitAll(Session session, List<TenantVisit> visits) throws SQLException {
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
      refuseLarge(visits);
    }
  }

  private void refuseLarge(List<TenantVisit> visits) {
    List<TenantVisit> unexpected =
        visits.stream().filter(visit -> visit.hasLarge() && !visit.isWeighed()).toList();
    unexpected.forEach(visit -> boundOf(visit.tenant()).weigh());
    if (!unexpected.isEmpty()) {
      throw new LargePayloadException(unexpected.get(0).tenant());
    }
  }

  private Optional<Call<Integer>> openBatches(long holder, List<Claim> claims) {
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
            OPEN_BATCHES.on("ledger", engine.tables().ledger(rows.get(0).ledger())),
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

  LaneHints hintsOf(TenantHandle tenant) {
    return hints.computeIfAbsent(
        tenant.number(),
        unused -> new LaneHints(engine.settings().lowerLanesShare(), engine.settings().nanoTime()));
  }

  /** Before their claim is sent; a transaction that runs again takes others. */
  private void hold(long[] ids, List<Long> held) {
    if (end == BatchEnd.OPEN) {
      for (long id : ids) {
        held.add(id);
        engine.lease().hold(id);
      }
    }
  }

  private void dropEmpty(List<Long> held, List<Claim> claims) {
    Set<Long> used = new HashSet<>();
    claims.stream()
        .filter(claim -> !claim.tasks().isEmpty())
        .forEach(claim -> used.add(claim.batch().id()));
    for (long id : held) {
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

  /**
   * A claim that adds up no bytes met a payload that is not small: it is to be repeated by weight.
   */
  private static final class LargePayloadException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    LargePayloadException(TenantHandle tenant) {
      super("tenant " + tenant.number() + " has payloads that are not small", null, false, false);
    }
  }
}
