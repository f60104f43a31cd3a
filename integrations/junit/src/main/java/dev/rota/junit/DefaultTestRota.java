package dev.rota.junit;

import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.daemon.internal.InlineMaintenance;
import dev.rota.internal.DefaultRota;
import dev.rota.internal.Kernel;
import dev.rota.internal.WorkerBuilder;
import dev.rota.internal.claim.TaskRules;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.settle.ClaimedTask;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.internal.worker.InlineRun;
import dev.rota.internal.worker.InlineRun.Ending;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Default implementation of {@link TestRota}. */
final class DefaultTestRota implements TestRota {

  /** More tasks than a test means to run. */
  private static final int MOST_RUNS = 100_000;

  /** How long a drain waits for room under a limit, which processes lease from the database. */
  private static final long ROOM_MILLIS = 500;

  private final Rota rota;
  private final Kernel kernel;
  private final TestTasks tasks;
  private final DueWork work;
  private final boolean keepsLead;
  private @Nullable InlineMaintenance daemon;
  private @Nullable UnaryOperator<Worker.Builder> handlers;
  private boolean expectsFailures;
  private boolean mayBeginLater;
  private @Nullable Throwable failure;

  /**
   * Creates one over a Rota.
   *
   * @param keepsLead whether it leads from the first tasks of a test to its end, not only while it
   *     runs some
   */
  DefaultTestRota(Rota rota, boolean keepsLead) {
    this.rota = rota;
    this.keepsLead = keepsLead;
    this.kernel = DefaultRota.kernelOf(rota);
    this.tasks = new TestTasks(kernel);
    this.work = new DueWork(kernel, tasks);
  }

  /** Tells of which task an error of a handler is. */
  private static final class TaskFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    TaskFailure(ClaimedTask task) {
      super("thrown by the handler of " + task, null, false, false);
    }
  }

  /** Begins a test: gives the names of earlier tenants free, and forgets what was set. */
  void begin() {
    resign();
    handlers = null;
    expectsFailures = false;
    tasks.begin();
    work.begin();
  }

  @Override
  public Rota rota() {
    return rota;
  }

  @Override
  public TestRota handlers(UnaryOperator<Worker.Builder> settings) {
    handlers = Objects.requireNonNull(settings, "settings");
    return this;
  }

  @Override
  public TestRota expectFailures() {
    expectsFailures = true;
    return this;
  }

  @Override
  public TestRota advance(Duration time) {
    if (time.isNegative() || time.isZero()) {
      throw new IllegalArgumentException("time is " + time + "; it must be more than 0");
    }
    tasks.advance(time);
    return this;
  }

  @Override
  public int drain() {
    return run(
        (daemon, worker) -> {
          int ran = 0;
          Semaphore room = new Semaphore(0);
          TaskRules.Listener listener = new RoomListener(room);
          kernel.rules().listen(listener);
          try {
            while (true) {
              room.drainPermits();
              int began = runOnce(daemon, worker, Ending.SETTLED);
              ran += began;
              if (began == 0 && !awaitRoom(room)) {
                return ran;
              }
              refuseEndless(ran);
            }
          } finally {
            kernel.rules().unlisten(listener);
          }
        });
  }

  @Override
  public int crash() {
    return run((daemon, worker) -> runOnce(daemon, worker, Ending.CRASHED));
  }

  @Override
  public TenantAssert assertThat(Tenant tenant) {
    return new DefaultTenantAssert(tenant, tasks, kernel.settings().tasks().payloads());
  }

  /** Signals room for tasks that a limit held back. */
  private record RoomListener(Semaphore room) implements TaskRules.Listener {

    @Override
    public void apply(TaskRules rules) {}

    @Override
    public void roomCame(Set<Integer> tenants) {
      room.release();
    }

    @Override
    public void mayBegin() {
      room.release();
    }
  }

  private boolean awaitRoom(Semaphore room) {
    if (!mayBeginLater || !Objects.requireNonNull(kernel.rules().present().get()).areBounded()) {
      return false;
    }
    try {
      return room.tryAcquire(ROOM_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static void refuseEndless(int ran) {
    if (ran > MOST_RUNS) {
      throw new IllegalStateException(
          "drain() has run "
              + ran
              + " tasks and more are due: a task seems to enqueue another one each time, or to be"
              + " tried again without a pause");
    }
  }

  /** What to do with the work of a daemon and a worker. */
  private interface Work {
    int run(InlineMaintenance daemon, InlineRun worker) throws SQLException;
  }

  private int run(Work work) {
    failure = null;
    boolean mayLeadOn = false;
    try (InlineRun worker = worker()) {
      int ran = work.run(daemon(), worker);
      mayLeadOn = keepsLead;
      return ran;
    } catch (SQLException e) {
      throw SqlErrors.translate("run the tasks of a test", e);
    } finally {
      if (!mayLeadOn) {
        resign();
      }
    }
  }

  private InlineMaintenance daemon() throws SQLException {
    InlineMaintenance leading = daemon;
    if (leading == null) {
      leading = InlineMaintenance.begin(rota, tasks::isPresent);
      daemon = leading;
    }
    return leading;
  }

  /** Leads no more, until tasks run again. */
  void resign() {
    InlineMaintenance leading = daemon;
    daemon = null;
    if (leading != null) {
      leading.close();
    }
  }

  private InlineRun worker() {
    if (handlers == null) {
      throw new IllegalStateException(
          "the test has no handlers; call handlers(worker -> worker.handle(kind, handler)) first");
    }
    return ((WorkerBuilder) handlers.apply(rota.worker())).inline(this::failed);
  }

  private void failed(ClaimedTask task, Throwable error) {
    if (failure == null) {
      error.addSuppressed(new TaskFailure(task));
      failure = error;
    }
  }

  /** Lets the daemon enqueue what is due, and runs the tasks that each tenant has then. */
  private int runOnce(InlineMaintenance daemon, InlineRun worker, Ending ending)
      throws SQLException {
    DueWork.Found due = work.look();
    mayBeginLater = !due.isNothing();
    int began = 0;
    for (TenantRef tenant : tenants(daemon, due)) {
      began += worker.run(tenant, ending);
      if (failure != null && !expectsFailures) {
        DefaultTestRota.<RuntimeException>rethrow(failure);
      }
    }
    return began;
  }

  /** Enqueues what is due, and returns the tenants that may have tasks in their slots then. */
  private static List<TenantRef> tenants(InlineMaintenance daemon, DueWork.Found due)
      throws SQLException {
    if (due.isRecurring()) {
      return daemon.run();
    }
    return due.isWaiting() ? daemon.promote() : due.filled();
  }

  /** Throws any error as it is: a handler may throw checked ones. */
  @SuppressWarnings("unchecked")
  private static <X extends Throwable> void rethrow(Throwable error) throws X {
    throw (X) error;
  }
}
