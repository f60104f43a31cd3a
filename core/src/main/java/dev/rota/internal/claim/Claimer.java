package dev.rota.internal.claim;

import dev.rota.internal.claim.ClaimMemory.LaneHints;
import dev.rota.internal.claim.ClaimRequest.ClaimResult;
import dev.rota.internal.claim.TaskRules.Bound;
import dev.rota.internal.claim.TaskRules.Guard;
import dev.rota.internal.claim.TaskRules.Pauses;
import dev.rota.internal.config.RotaConfig;
import dev.rota.internal.db.Backends.OtherHistoryException;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.enqueue.IdAllocator;
import dev.rota.internal.log.Logs;
import dev.rota.internal.settle.ClaimedBatch;
import dev.rota.internal.settle.ClaimedBatch.BatchEnd;
import dev.rota.internal.settle.ClaimedTask;
import dev.rota.internal.settle.ClaimedTask.CancelCheck;
import dev.rota.internal.settle.LeftKinds;
import dev.rota.internal.settle.ProcessLease;
import dev.rota.internal.settle.TaskExtensions;
import dev.rota.internal.settle.TaskExtensions.EndedTasks;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.internal.tenant.TenantRegistry;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Moves batches from the rings of several tenants into their histories, in one transaction. Gates
 * and claims go in one flush, rows of the ledger and the COMMIT in the next. Thread-safe.
 *
 * <p>The advisory-lock gate and the delete by {@code ctid} into history follow the design that
 * Alibaba Cloud published for task scheduling on RDS PostgreSQL (2017).
 */
public final class Claimer {

  private static final Sql GATE = Sql.named("gate");
  private static final Logger log = Logs.of(Claimer.class);

  /**
   * The worker of batches that are closed as they are claimed, inside a transaction of handlers.
   */
  private static final long NO_WORKER = 0;

  private static final int MOST_CURES = 100;

  /** A restore is met twice: by the start of the server, and by the identity of the database. */
  private static final int MOST_ANEW = 2;

  /** The most bytes of one claim: while it is read it takes up to three times as much memory. */
  private static final long MOST_BYTES = Runtime.getRuntime().maxMemory() / 8;

  private final Parts parts;
  private final TenantRegistry registry;
  private final ProcessLease lease;
  private final ClaimTerms terms;
  private final ClaimMemory memory;
  private final UnknownKindWarning unknownKinds;
  private final Isolator isolator;
  private final long mostBytes;
  private final AtomicReference<TaskRules> rules;

  private Claimer(
      Parts parts,
      ClaimTerms terms,
      ClaimMemory memory,
      UnknownKindWarning unknownKinds,
      long mostBytes) {
    this.parts = parts;
    this.registry = parts.ledger.registry;
    this.rules = parts.rules;
    this.lease = parts.ledger.lease;
    this.terms = terms;
    this.memory = memory;
    this.unknownKinds = unknownKinds;
    this.isolator = new Isolator(parts.invalidRows, terms.kinds(), mostBytes);
    this.mostBytes = mostBytes;
  }

  /** The parts that the claimers of one Rota share. */
  public record Parts(
      Database database,
      Ledger ledger,
      InvalidRows invalidRows,
      TaskExtensions extensions,
      AtomicReference<TaskRules> rules) {}

  /**
   * The parts with which batches are numbered, and booked in the ledger.
   *
   * @param registry knows the newest segment of the ledger
   * @param ids gives out the numbers of batches
   * @param lease the holder of batches that stay open
   */
  public record Ledger(TenantRegistry registry, IdAllocator ids, ProcessLease lease) {}

  /** Creates the claimers of one Rota. Thread-safe. */
  public static final class Factory {
    private final RotaConfig settings;
    private final Parts parts;
    private final ScheduledExecutorService timer;
    private final LeftKinds left;
    private final CancelCheck cancelCheck;

    /** Holds the rules by which its claimers leave tasks out. */
    public AtomicReference<TaskRules> rules() {
      return parts.rules;
    }

    /**
     * A factory of the claimers of one worker.
     *
     * @param rules the rules that they obey
     * @param left is told of the kinds whose tasks they leave pending
     */
    public Factory under(AtomicReference<TaskRules> rules, LeftKinds left) {
      return new Factory(
          settings,
          new Parts(parts.database, parts.ledger, parts.invalidRows, parts.extensions, rules),
          timer,
          left);
    }

    /** Creates the factory of one Rota. */
    public Factory(
        RotaConfig settings, Parts parts, ScheduledExecutorService timer, LeftKinds left) {
      this.settings = settings;
      this.parts = parts;
      this.timer = timer;
      this.left = left;
      this.cancelCheck =
          (batch, task) -> parts.extensions.isAskedToEnd(parts.ledger.lease.worker(), batch, task);
    }

    /**
     * Creates a claimer for one set of kinds.
     *
     * @param kinds the kinds to claim, or null for all
     * @param end {@link BatchEnd#OPEN} for a lease; {@link BatchEnd#SETTLED} to close as it is
     *     claimed
     */
    public Claimer claimer(@Nullable Set<String> kinds, BatchEnd end) {
      return claimer(kinds, end, kinds, MOST_BYTES);
    }

    /**
     * Creates a claimer for one of several sets of kinds of a worker.
     *
     * @param known the kinds of all of them, others being logged; null to check for none
     * @param mostBytes how many bytes the payloads of one claim may have together
     */
    public Claimer claimer(
        @Nullable Set<String> kinds, BatchEnd end, @Nullable Set<String> known, long mostBytes) {
      ClaimTerms terms =
          new ClaimTerms(
              settings.lockNamespace(),
              kinds == null ? null : List.copyOf(kinds),
              end,
              // Only a leased task can get a cancel request while it runs.
              end == BatchEnd.OPEN ? cancelCheck : CancelCheck.NEVER);
      return new Claimer(
          parts,
          terms,
          new ClaimMemory(settings.tasks().lowerLanesShare(), settings.timing().nanoTime()),
          new UnknownKindWarning(parts.database, timer, parts.invalidRows, known, left),
          mostBytes);
    }
  }

  /**
   * Claims in a separate transaction. A missing table means that the registry was stale: the
   * transaction is repeated after a refresh.
   *
   * @return a result for each request, by ascending number of the tenant
   * @throws dev.rota.RotaException if the claim failed. Nothing is claimed then, unless the outcome
   *     is unknown: such batches return to the ring within a lease
   */
  public List<ClaimResult> claim(List<ClaimRequest> requests) {
    return claim(parts.database, requests);
  }

  /** Claims over a connection that the caller keeps. */
  public List<ClaimResult> claim(Database database, List<ClaimRequest> requests) {
    int anew = 0;
    for (int failures = 0; ; failures++) {
      try {
        return claimOnce(database, memory.bounded(requests));
      } catch (SQLException e) {
        if (anew < MOST_ANEW && isStale(e)) {
          anew++;
        } else if (failures > MOST_CURES || !cure(database, requests, e, failures == 0)) {
          throw SqlErrors.translate(purpose(requests), e);
        }
      }
    }
  }

  /**
   * Whether the failure came from stale knowledge of the database; if so, it has been refreshed.
   */
  private boolean isStale(SQLException e) {
    boolean missing = SqlErrors.isMissingTable(e);
    if (missing) {
      registry.refresh();
    }
    return missing || e instanceof OtherHistoryException;
  }

  private List<ClaimResult> claimOnce(Database database, List<ClaimRequest> requests)
      throws SQLException {
    try {
      return claimLightFirst(database, requests);
    } catch (OutOfMemoryError e) {
      throw SqlErrors.outOfMemory(e);
    }
  }

  /**
   * Claims without summing bytes first, and by weight at tenants that turn out to have large
   * payloads.
   */
  private List<ClaimResult> claimLightFirst(Database database, List<ClaimRequest> requests)
      throws SQLException {
    while (true) {
      try {
        return tryClaim(database, requests);
      } catch (LargePayloadException e) {
        log.debug("a claim is repeated by weight: {}", e.getMessage());
      }
    }
  }

  /**
   * Removes the cause of a failed claim. With several tenants the caller repeats them one by one,
   * which finds the tenant that fails.
   */
  private boolean cure(
      Database database, List<ClaimRequest> requests, SQLException failure, boolean first) {
    if (requests.size() > 1) {
      if (SqlErrors.isOutOfMemory(failure)) {
        requests.forEach(request -> memory.boundOf(request.tenant()).lighten(request.max()));
      }
      return false;
    }
    ClaimRequest request = requests.get(0);
    try {
      return isolator.cure(
          new Isolator.FailedClaim(database, request, memory.boundOf(request.tenant()), failure),
          first);
    } catch (SQLException e) {
      failure.addSuppressed(e);
      return false;
    }
  }

  /**
   * Sets aside the rows of the tenant that made a claim fail, if rows were the cause; called after
   * the caller rolled back its transaction.
   */
  public void cure(ClaimRequest request, SQLException failure) {
    boolean unused = cure(parts.database, List.of(request), failure, true);
  }

  private List<ClaimResult> tryClaim(Database database, List<ClaimRequest> requests)
      throws SQLException {
    long holder = lease.holder();
    List<Long> held = new ArrayList<>();
    List<TenantClaim> visits = new ArrayList<>();
    try {
      List<ClaimResult> claims =
          database.tryTransaction(
              purpose(requests),
              session -> {
                long[] ids = parts.ledger.ids.take(requests.size(), session);
                session.relyOn(() -> lease.isHolder(holder));
                hold(ids, held);
                List<ClaimResult> made =
                    claimIn(session, new Batches(holder, requests, false), ids, visits);
                endAtOnce(session, made);
                open(holder, made).ifPresent(session::appendToCommit);
                return made;
              });
      dropEmpty(held, claims);
      memory.succeeded(visits);
      return claims;
    } catch (SQLException | RuntimeException | Error e) {
      memory.undo(visits);
      held.forEach(lease::drop);
      throw e;
    }
  }

  /**
   * Ends the tasks of batches that are closed as they are claimed: for the database they have
   * ended.
   */
  private void endAtOnce(Session session, List<ClaimResult> claims) throws SQLException {
    if (terms.end() == BatchEnd.SETTLED) {
      EndedTasks endings = new EndedTasks();
      claims.forEach(claim -> endings.addDone(claim.batch().tasks()));
      parts.extensions.ended(session, endings);
    }
  }

  /** Writes the rows of batches that have tasks; empty if there are none. */
  private Optional<BoundStatement<Integer>> open(long holder, List<ClaimResult> claims) {
    List<ClaimedBatch> taken =
        claims.stream().map(ClaimResult::batch).filter(batch -> !batch.tasks().isEmpty()).toList();
    if (taken.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        terms.end() == BatchEnd.OPEN
            ? ClaimedBatch.opening(registry, holder, taken)
            : ClaimedBatch.bookingEnded(
                registry, holder, taken.stream().map(ClaimedBatch.Ended::unrun).toList()));
  }

  /**
   * Claims inside a transaction that the caller commits, for handlers that run in it. The batches
   * are booked in the ledger when they are settled, in the same transaction.
   */
  public List<ClaimResult> claimIn(Session session, List<ClaimRequest> requests)
      throws SQLException {
    List<TenantClaim> visits = new ArrayList<>();
    try {
      long[] ids = parts.ledger.ids.take(requests.size(), session);
      List<ClaimResult> claims =
          claimIn(session, new Batches(NO_WORKER, memory.bounded(requests), true), ids, visits);
      memory.succeeded(visits);
      return claims;
    } catch (SQLException | RuntimeException | Error e) {
      memory.undo(visits);
      throw e;
    }
  }

  /** Whether a claimed task may begin by the present rules. */
  public boolean mayBegin(ClaimedTask task) {
    TaskRules present = Objects.requireNonNull(rules.get());
    return present == TaskRules.NONE || !present.pauses(task.tenantNumber()).hold(task);
  }

  /** What a claimed task needs to begin by the present rules; null if nothing. */
  public @Nullable Bound boundOf(ClaimedTask task) {
    TaskRules present = Objects.requireNonNull(rules.get());
    return present == TaskRules.NONE ? null : present.bound(task.tenantNumber(), task.kind());
  }

  /** What lets a claimed task begin by how earlier ones ended; null if nothing does. */
  public @Nullable Guard guardOf(ClaimedTask task) {
    TaskRules present = Objects.requireNonNull(rules.get());
    return present == TaskRules.NONE ? null : present.guard(task.tenantNumber(), task.kind());
  }

  /** Stops the claimer; no claim may follow. */
  public void close() {
    unknownKinds.stop();
  }

  /**
   * Scans the tenant from block 0 again, because the rows that a transaction had claimed are back.
   */
  public void forgetHints(TenantRef tenant) {
    memory.hintsOf(tenant).forget();
  }

  /**
   * The batches to claim in one transaction.
   *
   * @param worker the holder of the batches
   * @param requests the request for each tenant
   * @param atOnce whether tasks begin in the transaction that claims them. It cannot be repeated,
   *     so bytes are summed in any case
   */
  private record Batches(long worker, List<ClaimRequest> requests, boolean atOnce) {}

  private List<ClaimResult> claimIn(
      Session session, Batches batches, long[] ids, List<TenantClaim> visits) throws SQLException {
    registry.ensureRecentRules(session);
    int ledger = registry.newestLedger(session);
    List<ClaimRequest> inOrder = new ArrayList<>(batches.requests);
    inOrder.sort(Comparator.comparing(ClaimRequest::tenant, TenantRef.order()));
    visits.clear();
    for (int i = 0; i < inOrder.size(); i++) {
      ClaimRequest request = inOrder.get(i);
      request.tenant().confirm(session);
      if (request.tenant().state().isParked()) {
        request = readAgain(session, request);
      }
      long bytes = Math.max(1, mostBytes / inOrder.size());
      boolean weighed =
          batches.atOnce
              || memory.boundOf(request.tenant()).isWeighed()
              || (long) request.max() * ClaimTerms.LARGEST_LIGHT > bytes;
      TenantClaim.Share share = new TenantClaim.Share(ids[i], bytes, weighed);
      visits.add(visit(request, share, batches.atOnce));
    }
    if (inOrder.stream().anyMatch(request -> request.tenant().isBounded())) {
      // Producers count by these counters, and would be refused for tasks that are gone.
      session.prepend(BoundStatement.reportingCounters());
    }
    takeGates(session, visits);
    visitAll(session, visits);
    TenantClaim.measureEmptySlots(session, visits);
    for (TenantClaim visit : visits) {
      visit.setAsideInvalid(session, parts.extensions, parts.invalidRows);
      visit.extend(session, parts.extensions);
    }
    unknownKinds.lookIn(session, visits);
    return visits.stream().map(visit -> visit.result(batches.worker, ledger)).toList();
  }

  private TenantClaim visit(ClaimRequest request, TenantClaim.Share share, boolean atOnce) {
    TaskRules present = Objects.requireNonNull(rules.get());
    LaneHints hints = memory.hintsOf(request.tenant());
    if (present == TaskRules.NONE) {
      return new TenantClaim(request, hints.ofClaimsWithout(Set.of()), terms, share);
    }
    Pauses pauses = withFull(present, request.tenant().number(), atOnce);
    return new TenantClaim(
        besides(request, pauses),
        hints.ofClaimsWithout(pauses.kinds()),
        terms.without(pauses.kinds()),
        share);
  }

  /** What to leave out: what is paused, and kinds of which no more may wait for room. */
  private Pauses withFull(TaskRules present, int tenant, boolean atOnce) {
    Pauses pauses = present.pauses(tenant);
    // Claims by a caller have no kinds: nothing bounds them.
    Set<String> full =
        terms.kinds() == null ? Set.of() : present.full(tenant, terms.kinds(), atOnce);
    if (full.isEmpty()) {
      return pauses;
    }
    Set<String> kinds = new HashSet<>(pauses.kinds());
    kinds.addAll(full);
    return new Pauses(pauses.all(), kinds, pauses.priorities());
  }

  /** The request without the slots of which nothing may begin. */
  private ClaimRequest besides(ClaimRequest request, Pauses pauses) {
    int slots =
        pauses.holdAll(terms.kinds())
            ? 0
            : pauses.slotsOf(request.tenant().state().lanes(), request.slots());
    return slots == request.slots()
        ? request
        : new ClaimRequest(request.tenant(), request.max(), slots, request.verify());
  }

  /**
   * The request to a tenant that this process knows as parked. Another one may have made tables; if
   * there are none, no slot is visited.
   */
  private ClaimRequest readAgain(Session session, ClaimRequest request) throws SQLException {
    TenantRef tenant = request.tenant();
    registry.confirm(session, tenant);
    return tenant.state().isParked()
        ? new ClaimRequest(tenant, request.max(), 0, request.verify())
        : request;
  }

  /** Takes the gates of the tenants, in the flush of the first claims. */
  private void takeGates(Session session, List<TenantClaim> visits) {
    Map<Integer, TenantClaim> byNumber = new HashMap<>();
    visits.forEach(visit -> byNumber.put(visit.tenant().number(), visit));
    session.prepend(
        BoundStatement.query(
            GATE,
            row -> {
              TenantClaim visit = byNumber.get(row.getInt(1));
              return row.getBoolean(2) && visit != null && visit.enter();
            },
            terms.lockNamespace(),
            visits.stream().mapToInt(visit -> visit.tenant().number()).toArray()));
  }

  /** Runs the visits in rounds: each tenant's next statement, all in one flush. */
  private void visitAll(Session session, List<TenantClaim> visits) throws SQLException {
    while (true) {
      List<TenantClaim> asking = new ArrayList<>();
      List<BoundStatement<List<ClaimedTask>>> calls = new ArrayList<>();
      for (TenantClaim visit : visits) {
        BoundStatement<List<ClaimedTask>> call = visit.nextCall();
        if (call != null) {
          asking.add(visit);
          calls.add(call);
        }
      }
      if (calls.isEmpty()) {
        return;
      }
      List<List<ClaimedTask>> results = session.runInRounds(calls);
      for (int i = 0; i < results.size(); i++) {
        asking.get(i).accept(results.get(i));
      }
      refuseLarge(visits);
    }
  }

  private void refuseLarge(List<TenantClaim> visits) {
    List<TenantClaim> unexpected =
        visits.stream().filter(visit -> visit.hasLarge() && !visit.isWeighed()).toList();
    unexpected.forEach(visit -> memory.boundOf(visit.tenant()).weigh());
    if (!unexpected.isEmpty()) {
      throw new LargePayloadException(unexpected.get(0).tenant());
    }
  }

  LaneHints hintsOf(TenantRef tenant) {
    return memory.hintsOf(tenant);
  }

  /** Books the batches before their claim is sent; a transaction that runs again takes others. */
  private void hold(long[] ids, List<Long> held) {
    if (terms.end() == BatchEnd.OPEN) {
      for (long id : ids) {
        held.add(id);
        lease.hold(id);
      }
    }
  }

  private void dropEmpty(List<Long> held, List<ClaimResult> claims) {
    Set<Long> used = new HashSet<>();
    claims.stream()
        .filter(claim -> !claim.tasks().isEmpty())
        .forEach(claim -> used.add(claim.batch().id()));
    for (long id : held) {
      if (!used.contains(id)) {
        lease.drop(id);
      }
    }
  }

  private static String purpose(List<ClaimRequest> requests) {
    return requests.size() == 1
        ? "claim from " + requests.get(0).tenant().label()
        : "claim from " + requests.size() + " tenants";
  }

  /**
   * Thrown when a claim that sums no bytes meets a large payload: it is then repeated by weight.
   */
  private static final class LargePayloadException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    LargePayloadException(TenantRef tenant) {
      super("tenant " + tenant.number() + " has payloads that are not small", null, false, false);
    }
  }
}
