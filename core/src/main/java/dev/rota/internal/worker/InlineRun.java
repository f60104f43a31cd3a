package dev.rota.internal.worker;

import dev.rota.DeliveryMode;
import dev.rota.internal.claim.ClaimRequest;
import dev.rota.internal.claim.ClaimRequest.ClaimResult;
import dev.rota.internal.claim.Claimer;
import dev.rota.internal.claim.TaskRules;
import dev.rota.internal.claim.TaskRules.Bound;
import dev.rota.internal.schema.AttemptStateCode;
import dev.rota.internal.settle.BatchRecovery;
import dev.rota.internal.settle.ClaimedBatch;
import dev.rota.internal.settle.ClaimedBatch.BatchEnd;
import dev.rota.internal.settle.ClaimedTask;
import dev.rota.internal.settle.ClaimedTask.Outcome;
import dev.rota.internal.settle.LeftKinds;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.internal.worker.BatchProgress.Piece;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;

/**
 * Runs the tasks of a worker in the thread of its caller, tenant by tenant: for tests of
 * applications. It claims, begins and settles as a worker does. Used by one thread.
 */
public final class InlineRun implements AutoCloseable {

  private final LeasedDelivery.Parts parts;
  private final BatchRecovery recovery;
  private final WorkerConfig settings;
  private final AtomicReference<TaskRules> rules = new AtomicReference<>(TaskRules.UNKNOWN);
  private final List<Claimer> claimers = new ArrayList<>();
  private final Handlers.Calls calls;
  private final TransactionalRun transactions;

  /** What becomes of a batch whose handlers have returned. */
  public enum Ending {
    /** Its outcomes are written. */
    SETTLED,
    /** The worker dies before it writes them: the tasks run again. */
    CRASHED
  }

  /** Thrown in a transaction to roll it back, as the death of its worker would. */
  private static final class CrashException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    CrashException() {
      super("the worker dies before its commit", null, false, false);
    }
  }

  /**
   * Creates the runner of a worker that is not started.
   *
   * @param recovery returns the tasks of a worker that dies
   * @param failures is told what handlers throw, unless they say by it what is to become of a task
   */
  public InlineRun(
      LeasedDelivery.Parts parts,
      BatchRecovery recovery,
      WorkerConfig settings,
      BiConsumer<ClaimedTask, Throwable> failures) {
    this.parts = parts;
    this.recovery = recovery;
    this.settings = settings;
    FailureReporter reporter = new FailureReporter(settings, parts.claiming().rules(), failures);
    this.calls = new Handlers.Calls(settings, reporter);
    this.transactions =
        new TransactionalRun(
            parts,
            settings,
            new WorkerCounters(List.of(), settings.rota().timing().observer()),
            reporter);
    BatchEnd end = settings.mode() == DeliveryMode.LEASED ? BatchEnd.OPEN : BatchEnd.SETTLED;
    LeftKinds left = new LeftKinds(settings.rota().timing().nanoTime());
    Claimer.Factory factory = parts.claiming().claimers().under(rules, left);
    for (int group = 0; group < settings.groups().size(); group++) {
      claimers.add(settings.claimer(factory, group, end));
    }
  }

  /**
   * Runs the tasks of a tenant that may begin now; those that they enqueue meanwhile may wait for
   * another call.
   *
   * @return how many tasks began
   */
  public int run(TenantRef tenant, Ending ending) {
    TaskRules present = Objects.requireNonNull(parts.claiming().rules().present().get());
    rules.set(present.of(settings.claiming().pools()));
    int ran = 0;
    for (Claimer claimer : claimers) {
      ClaimRequest request =
          new ClaimRequest(tenant, settings.batchSize(), ClaimRequest.ALL_SLOTS, true);
      ran +=
          settings.mode() == DeliveryMode.TRANSACTIONAL
              ? runInTransaction(claimer, request, ending)
              : runClaimed(claimer, request, ending);
    }
    return ran;
  }

  private int runInTransaction(Claimer claimer, ClaimRequest request, Ending ending) {
    AtomicInteger began = new AtomicInteger();
    try {
      ClaimResult unused =
          transactions.run(
              claimer,
              request,
              outcomes -> {
                began.set((int) outcomes.stream().filter(InlineRun::isRun).count());
                if (ending == Ending.CRASHED && began.get() > 0) {
                  throw new CrashException();
                }
              });
    } catch (CrashException e) {
      // Its transaction is rolled back; the handlers have run.
      return began.get();
    }
    return began.get();
  }

  private static boolean isRun(Outcome outcome) {
    return outcome.state() != AttemptStateCode.RELEASED;
  }

  private int runClaimed(Claimer claimer, ClaimRequest request, Ending ending) {
    ClaimedBatch batch = claimer.claim(List.of(request)).get(0).batch();
    if (batch.tasks().isEmpty()) {
      return 0;
    }
    BatchProgress progress =
        new BatchProgress(batch, false, settings.handlers()::handlesTogether, false);
    int began = progress.takePieces().stream().mapToInt(this::run).sum();
    if (settings.mode() == DeliveryMode.LEASED) {
      end(progress, ending);
    }
    return began;
  }

  /** Runs the tasks of a piece unless the rules forbid it; returns how many began. */
  private int run(Piece piece) {
    TaskRules present = Objects.requireNonNull(rules.get());
    Bound bound = piece.boundBy(present);
    if (bound != null && bound.tryBegin()) {
      piece.holds(bound);
    }
    if ((bound != null && !piece.isBound()) || !piece.begin(present)) {
      boolean unused = piece.finish(piece.tasks().stream().map(Outcome::released).toList());
      return 0;
    }
    long beganAt = System.nanoTime();
    List<Outcome> outcomes = calls.outcomes(piece.tasks());
    piece.ran(beganAt, System.nanoTime());
    boolean unused = piece.finish(outcomes);
    return piece.size();
  }

  private void end(BatchProgress progress, Ending ending) {
    ClaimedBatch batch = progress.batch();
    if (ending == Ending.SETTLED) {
      parts.settler().settle(List.of(progress.closing()));
    } else {
      parts
          .database()
          .transaction(
              "return the tasks of a worker that died",
              session -> recovery.abandon(session, batch.row(), "the worker died in a test"));
      parts.lease().drop(batch.id());
    }
  }

  /** Ends its timers; no run may follow. */
  @Override
  public void close() {
    claimers.forEach(Claimer::close);
    calls.close();
    transactions.close();
  }
}
