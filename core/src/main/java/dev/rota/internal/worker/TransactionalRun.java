package dev.rota.internal.worker;

import dev.rota.internal.claim.ClaimRequest;
import dev.rota.internal.claim.ClaimRequest.ClaimResult;
import dev.rota.internal.claim.Claimer;
import dev.rota.internal.claim.TaskRules.Attempts;
import dev.rota.internal.claim.TaskRules.Bound;
import dev.rota.internal.claim.TaskRules.Guard;
import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.Session;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.schema.AttemptStateCode;
import dev.rota.internal.settle.ClaimedTask;
import dev.rota.internal.settle.ClaimedTask.Outcome;
import dev.rota.internal.settle.Settler;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.internal.tenant.TenantRegistry;
import dev.rota.internal.worker.TenantQueue.Visit;
import dev.rota.internal.worker.WorkerCounters.SettleListener;
import dev.rota.spi.TaskObserver;
import dev.rota.spi.TaskObserver.HandlerCall;
import dev.rota.spi.TaskObserver.HandlerCalls;
import dev.rota.spi.WorkerLoad;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Claims from one tenant, runs the handlers and writes the outcomes, all in one transaction. Each
 * task has a savepoint, so that a failed one rolls back only its own writes. Thread-safe.
 */
public final class TransactionalRun {

  private static final Sql READ_SETTINGS = Sql.named("read_settings");
  private static final Sql RESTORE_SETTINGS = Sql.named("restore_settings");

  private static final Duration HANDLER_LIMIT = Duration.ofSeconds(30);

  // Handlers are interrupted at their limit: a transaction that is silent for longer has stopped
  // altogether.
  private static final Duration LONGEST_SILENCE = HANDLER_LIMIT.plusSeconds(5);

  private final Database database;
  private final TenantRegistry registry;
  private final WorkerConfig settings;
  private final WorkerCounters counters;
  private final HandlerCalls wantedCalls;
  private final Settler settler;
  private final FailureReporter failures;
  private final HandlerTimeouts watchdog = new HandlerTimeouts();
  private final Suspects suspects;
  // How many tasks of a tenant, by its number, still run in a transaction of their own. The
  // database refused one of several tasks, and does not tell which.
  private final Map<Integer, Integer> apart = new ConcurrentHashMap<>();
  private final Map<Thread, String> running = new ConcurrentHashMap<>();
  private volatile boolean stopping;

  public TransactionalRun(
      LeasedDelivery.Parts parts, WorkerConfig settings, WorkerCounters counters) {
    this(parts, settings, counters, new FailureReporter(settings, parts.claiming().rules()));
  }

  TransactionalRun(
      LeasedDelivery.Parts parts,
      WorkerConfig settings,
      WorkerCounters counters,
      FailureReporter failures) {
    this.database = parts.database();
    this.registry = parts.registry();
    this.settings = settings;
    this.counters = counters;
    this.wantedCalls = Observed.wantedBy(counters.observer());
    this.settler = parts.settler();
    this.failures = failures;
    this.suspects = new Suspects(settings.rota().timing().nanoTime());
  }

  /** Stops; tasks that did not begin stay pending. */
  void stop() {
    stopping = true;
  }

  void close() {
    watchdog.close();
  }

  /** The load at this moment; only an observer asks for it. */
  WorkerLoad load() {
    Map<String, Integer> byKind = settings.handlers().idle();
    running.values().forEach(kind -> byKind.merge(kind, 1, Integer::sum));
    return new WorkerLoad(settings.concurrency(), byKind, 0, 0, 0);
  }

  /** Runs one transaction. */
  ClaimResult run(Claimer claimer, Visit visit) {
    TenantRef tenant = registry.get(visit.tenant());
    return run(
        claimer,
        new ClaimRequest(tenant, settings.batchSize(), visit.slots(), false),
        outcomes -> {});
  }

  /**
   * Runs one transaction.
   *
   * @param beforeCommit is called after the last handler, with an outcome for each claimed task;
   *     what it throws rolls all back
   */
  ClaimResult run(Claimer claimer, ClaimRequest wanted, Consumer<List<Outcome>> beforeCommit) {
    TenantRef tenant = wanted.tenant();
    ClaimRequest request = apart.containsKey(tenant.number()) ? wanted.upTo(1) : wanted;
    Progress progress = new Progress(claimer);
    try {
      ClaimResult claim =
          database.transaction(
              "run tasks of " + tenant.label() + " in a transaction",
              session -> {
                progress.begin();
                String[] hosts = readHostsSettings(session);
                ClaimResult made = claim(claimer, session, request, progress);
                runAll(session, made, hosts, progress);
                beforeCommit.accept(progress.outcomes);
                return made;
              });
      acquit(tenant, progress.outcomes);
      count(claim, progress.outcomes);
      counters.ended(progress.ended);
      return claim;
    } catch (RuntimeException | Error e) {
      claimer.forgetHints(tenant);
      if (progress.refused != null) {
        claimer.cure(request, progress.refused);
      }
      accuse(tenant, progress, e);
      throw e;
    }
  }

  /**
   * Suspects the task whose handler ended the transaction. If the database refused what several
   * tasks wrote, they run apart, and the one that it refuses then is the suspect.
   */
  private void accuse(TenantRef tenant, Progress progress, Throwable reason) {
    List<Outcome> ran = kept(progress.outcomes);
    if (progress.present != null) {
      suspects.accuse(attemptOf(progress.present), reason);
    } else if (SqlErrors.isRefusal(reason) && ran.size() == 1) {
      suspects.accuse(attemptOf(ran.get(0).task()), reason);
    } else if (SqlErrors.isRefusal(reason) && !ran.isEmpty()) {
      apart.put(tenant.number(), ran.size());
    }
  }

  /** Ends the suspicions against tasks whose outcomes are recorded now. */
  private void acquit(TenantRef tenant, List<Outcome> outcomes) {
    List<Outcome> recorded = kept(outcomes);
    recorded.forEach(outcome -> suspects.acquit(attemptOf(outcome.task())));
    apart.computeIfPresent(
        tenant.number(), (unused, left) -> left > recorded.size() ? left - recorded.size() : null);
  }

  private static Suspects.Attempt attemptOf(ClaimedTask task) {
    return new Suspects.Attempt(task.id(), task.attempt());
  }

  /** The outcomes of tasks that are not handed back. */
  private static List<Outcome> kept(List<Outcome> outcomes) {
    return outcomes.stream()
        .filter(outcome -> outcome.state() != AttemptStateCode.RELEASED)
        .toList();
  }

  /** The progress of a transaction. */
  private static final class Progress {
    private final Claimer claimer;
    private final List<Outcome> outcomes = new ArrayList<>();
    private final List<SettleListener.Ended> ended = new ArrayList<>();
    private long ranNanos;
    private @Nullable ClaimedTask present;
    private @Nullable SQLException refused;

    Progress(Claimer claimer) {
      this.claimer = claimer;
    }

    /** Begins, again if the transaction is repeated: its first run has left nothing. */
    void begin() {
      outcomes.clear();
      ended.clear();
      ranNanos = 0;
      present = null;
      refused = null;
    }
  }

  private ClaimResult claim(
      Claimer claimer, Session session, ClaimRequest request, Progress progress)
      throws SQLException {
    try {
      TaskObserver observer = counters.observer();
      return observer == null
          ? claimer.claimIn(session, List.of(request)).get(0)
          : Observed.claim(observer, 1, () -> claimer.claimIn(session, List.of(request))).get(0);
    } catch (SQLException e) {
      progress.refused = e;
      throw e;
    }
  }

  private void runAll(Session session, ClaimResult claim, String[] hosts, Progress progress)
      throws SQLException {
    if (claim.batch().tasks().isEmpty()) {
      return;
    }
    restore(session, hosts);
    for (ClaimedTask task : claim.batch().tasks()) {
      progress.present = task;
      long beganAt = System.nanoTime();
      Outcome outcome = stopping ? Outcome.released(task) : begin(session, task, progress);
      long ran = System.nanoTime() - beganAt;
      progress.ranNanos += ran;
      progress.outcomes.add(outcome);
      if (counters.isListenedTo()) {
        progress.ended.add(new SettleListener.Ended(outcome, beganAt, ran));
      }
    }
    progress.present = null;
    session.run(database.settings().pinning());
    settler.settleIn(
        session,
        progress.outcomes,
        claim.batch(),
        TimeUnit.NANOSECONDS.toMicros(progress.ranNanos));
  }

  /** Runs a task if the rules let it begin. */
  private Outcome begin(Session session, ClaimedTask task, Progress progress) throws SQLException {
    Bound bound = progress.claimer.boundOf(task);
    if (!progress.claimer.mayBegin(task) || (bound != null && !bound.tryBegin())) {
      return Outcome.released(task);
    }
    long beganAt = System.nanoTime();
    try {
      return guarded(session, task, progress.claimer.guardOf(task));
    } finally {
      if (bound != null) {
        bound.end(System.nanoTime() - beganAt);
      }
    }
  }

  private Outcome guarded(Session session, ClaimedTask task, @Nullable Guard guard)
      throws SQLException {
    Attempts attempts = guard == null ? null : guard.begin(1);
    if (guard != null && attempts == null) {
      return Outcome.released(task);
    }
    List<Outcome> outcomes = new ArrayList<>();
    try {
      outcomes.add(handle(session, task));
      return outcomes.get(0);
    } finally {
      if (attempts != null) {
        attempts.ended(outcomes);
      }
    }
  }

  /**
   * Reads the session settings of the host's pool before Rota's are in force: handlers run under
   * those of the pool.
   */
  private static String[] readHostsSettings(Session session) throws SQLException {
    return session
        .runUnderPoolsSettings(
            BoundStatement.query(
                READ_SETTINGS,
                row ->
                    new String[] {
                      row.getString(1), row.getString(2), row.getString(3), row.getString(4)
                    }))
        .get(0);
  }

  private static void restore(Session session, String[] hosts) throws SQLException {
    session.run(
        BoundStatement.query(
            RESTORE_SETTINGS,
            row -> true,
            hosts[0],
            hosts[1],
            hosts[2],
            hosts[3],
            Long.toString(HANDLER_LIMIT.toMillis()),
            Long.toString(LONGEST_SILENCE.toMillis())));
  }

  private Outcome handle(Session session, ClaimedTask task) throws SQLException {
    Throwable suspicion = suspects.reasonAgainst(attemptOf(task));
    if (suspicion != null) {
      return failed(task, suspicion);
    }
    Savepoint before = session.mark();
    Outcome outcome = call(session.connection(), task);
    end(session, before, outcome);
    return outcome;
  }

  private static void end(Session session, Savepoint before, Outcome outcome) throws SQLException {
    try {
      if (outcome.isSuccess()) {
        session.release(before);
      } else {
        session.rollBackTo(before);
      }
    } catch (SQLException e) {
      throw session.connection().isClosed() ? SqlErrors.lostConnection(e) : e;
    }
  }

  /** Runs the handler, and reports it to the observer. */
  private Outcome call(Connection connection, ClaimedTask task) {
    TaskObserver observer = counters.observer();
    if (observer == null) {
      return callInTime(connection, task);
    }
    running.put(Thread.currentThread(), task.kind());
    try {
      return Observed.isOneOf(wantedCalls, List.of(task))
          ? observed(observer, connection, task)
          : callInTime(connection, task);
    } finally {
      running.remove(Thread.currentThread());
    }
  }

  private Outcome observed(TaskObserver observer, Connection connection, ClaimedTask task) {
    HandlerCall call = Observed.callOf(List.of(task));
    List<Outcome> outcomes = List.of();
    observer.begun(call);
    try {
      outcomes = List.of(callInTime(connection, task));
      return outcomes.get(0);
    } finally {
      observer.returned(call, Observed.errorOf(outcomes));
    }
  }

  /** Runs the handler, and interrupts it at its time limit. */
  private Outcome callInTime(Connection connection, ClaimedTask task) {
    try {
      return watchdog.run(
          limitOf(task),
          () ->
              settings
                  .handlers()
                  .transactionalRun(task)
                  .run(task, GuardedConnection.guard(connection)));
    } catch (Throwable e) {
      return failed(task, e);
    } finally {
      // An interrupt was meant for the handler that has ended, not for the next one.
      Thread.interrupted();
    }
  }

  /** Fails a task, also if its error cannot be read. */
  private Outcome failed(ClaimedTask task, Throwable error) {
    try {
      return failures.failed(task, error);
    } catch (RuntimeException | Error e) {
      return failures.untold(List.of(task), e).get(0);
    }
  }

  private Duration limitOf(ClaimedTask task) {
    Duration own = settings.rules().timeLimitOf(task.kind());
    return own == null || own.compareTo(HANDLER_LIMIT) > 0 ? HANDLER_LIMIT : own;
  }

  private void count(ClaimResult claim, List<Outcome> outcomes) {
    counters.claimed(claim.batch().tasks().size());
    counters.exceptions(outcomes);
    counters.done((int) outcomes.stream().filter(Outcome::isSuccess).count());
  }
}
