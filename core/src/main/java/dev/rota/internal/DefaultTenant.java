package dev.rota.internal;

import dev.rota.Batch;
import dev.rota.DatabaseException;
import dev.rota.NewTask;
import dev.rota.RotaException;
import dev.rota.Tenant;
import dev.rota.assignment.Assignments;
import dev.rota.control.TaskControl;
import dev.rota.control.internal.CancelRequester;
import dev.rota.control.internal.DefaultTaskControl;
import dev.rota.control.internal.LongRunningTasks;
import dev.rota.control.internal.PendingCanceller;
import dev.rota.control.internal.PriorityChanger;
import dev.rota.control.internal.Redriver;
import dev.rota.control.internal.Replayer;
import dev.rota.graph.Graphs;
import dev.rota.graph.internal.DefaultGraphs;
import dev.rota.graph.internal.GraphWriter;
import dev.rota.history.History;
import dev.rota.history.internal.DefaultHistory;
import dev.rota.history.internal.HistoryScan;
import dev.rota.internal.claim.ClaimRequest;
import dev.rota.internal.claim.Claimer;
import dev.rota.internal.config.RotaConfig;
import dev.rota.internal.db.SqlErrors;
import dev.rota.internal.enqueue.Enqueuer;
import dev.rota.internal.enqueue.GroupCommit;
import dev.rota.internal.enqueue.TaskInserts;
import dev.rota.internal.settle.LeasedBatch;
import dev.rota.internal.tenant.TaskValidator;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.limits.QuotaExceededException;
import dev.rota.limits.internal.quota.RoomWait;
import dev.rota.pipeline.internal.StageTransition;
import dev.rota.schedule.Schedules;
import dev.rota.schedule.internal.DefaultSchedules;
import dev.rota.spi.TaskObserver;
import dev.rota.spi.TaskObserver.EnqueuePath;
import dev.rota.typed.internal.TaskInterface;
import java.sql.Connection;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;

/** Default implementation of {@link Tenant}; delegates each operation to its component. */
final class DefaultTenant implements Tenant {

  private static final int MOST_CLAIMED = 10_000;

  private final TenantRef ref;
  private final Services services;

  DefaultTenant(TenantRef ref, Services services) {
    this.ref = ref;
    this.services = services;
  }

  /**
   * The services that the tenants of one Rota share.
   *
   * @param assignments opens the assignment pools of a tenant
   */
  record Services(
      Kernel kernel,
      Features features,
      Producing producing,
      Claimer claimer,
      Function<TenantRef, Assignments> assignments) {}

  /** The services that store new tasks. */
  record Producing(
      GroupCommit.Admission admission,
      Enqueuer enqueuer,
      Commits commits,
      @Nullable TaskObserver observer) {}

  /** The group commits for tasks without keys and with them. */
  record Commits(GroupCommit plain, GroupCommit keyed) {

    GroupCommit of(NewTask task) {
      return TaskInserts.hasKey(task) ? keyed : plain;
    }
  }

  @Override
  public int number() {
    return ref.number();
  }

  @Override
  public String name() {
    return ref().state().name();
  }

  @Override
  public long enqueue(NewTask task) {
    TaskObserver observer = services.producing.observer;
    return observer == null
        ? store(task)
        : observed(observer)
            .run(
                EnqueuePath.SINGLE,
                Collections.singletonList(task),
                traced -> store(traced.get(0)));
  }

  private ObservedEnqueue observed(TaskObserver observer) {
    return new ObservedEnqueue(observer, name());
  }

  private long store(NewTask task) {
    try {
      return services.producing.commits.of(task).enqueueAndJoin(ref(), task).join();
    } catch (CompletionException e) {
      throw inThisThread(e);
    }
  }

  @Override
  public long enqueue(NewTask task, Duration patience) {
    return RoomWait.enqueue(patience, () -> enqueue(task));
  }

  @Override
  public List<Long> enqueueAll(List<NewTask> tasks) {
    TaskObserver observer = services.producing.observer;
    Enqueuer enqueuer = services.producing.enqueuer;
    return observer == null
        ? enqueuer.enqueueAll(ref(), tasks)
        : observed(observer)
            .run(EnqueuePath.BULK, tasks, traced -> enqueuer.enqueueAll(ref(), traced));
  }

  @Override
  public CompletableFuture<Long> enqueueAsync(NewTask task) {
    TaskObserver observer = services.producing.observer;
    GroupCommit commit = services.producing.commits.of(task);
    return observer == null
        ? commit.enqueueAsync(ref(), task)
        : observed(observer).begin(task, traced -> commit.enqueueAsync(ref(), traced));
  }

  @Override
  public long enqueue(Connection connection, NewTask task) {
    TaskValidator rules = services.producing.admission.rules();
    return inTransaction(
            Collections.singletonList(task),
            traced ->
                services.producing.enqueuer.enqueueAll(
                    connection, ref(), List.of(rules.check(traced.get(0)))))
        .get(0);
  }

  @Override
  public List<Long> enqueueAll(Connection connection, List<NewTask> tasks) {
    return inTransaction(
        tasks, traced -> services.producing.enqueuer.enqueueAll(connection, ref(), traced));
  }

  private List<Long> inTransaction(
      List<NewTask> tasks, Function<List<NewTask>, List<Long>> enqueue) {
    TaskObserver observer = services.producing.observer;
    return observer == null
        ? enqueue.apply(tasks)
        : observed(observer).run(EnqueuePath.CALLER, tasks, enqueue);
  }

  @Override
  public long enqueue(DSLContext context, NewTask task) {
    return context.connectionResult(connection -> enqueue(connection, task));
  }

  @Override
  public List<Long> enqueueAll(DSLContext context, List<NewTask> tasks) {
    return context.connectionResult(connection -> enqueueAll(connection, tasks));
  }

  @Override
  public <I> I tasks(Class<I> tasks) {
    return TaskInterface.of(tasks).enqueuing(this::enqueue, this);
  }

  @Override
  public <I> I tasks(Connection connection, Class<I> tasks) {
    return TaskInterface.of(tasks).enqueuing(task -> enqueue(connection, task), this);
  }

  @Override
  public Batch claim(int max) {
    RotaConfig.within("max", max, 1, MOST_CLAIMED);
    ClaimRequest request = new ClaimRequest(ref(), max, ClaimRequest.ALL_SLOTS, true);
    return new StageTransition.StagedBatch(
        services.claimer.claim(List.of(request)).get(0).batch(),
        kernel().settler(),
        new LeasedBatch.HandBack(
            kernel().database(), kernel().batchReturn(), kernel().lease(), kernel().doorbell()),
        services.producing.admission.daemonWatch(),
        kernel().settings().tasks());
  }

  @Override
  public Assignments assignments() {
    return services.assignments.apply(ref());
  }

  @Override
  public History history() {
    return new DefaultHistory(historySources(), this::ref);
  }

  @Override
  public TaskControl control() {
    return new DefaultTaskControl(
        new DefaultTaskControl.Cancellers(
            () -> canceller(ref()),
            () -> new CancelRequester(kernel().database(), kernel().tables(), ref())),
        this::priorityChanger,
        this::longRunningTasks,
        this::redriver,
        () -> new Replayer(historySources(), services.producing.enqueuer, ref()));
  }

  @Override
  public void addLane(int priority) {
    TaskValidator.checkPriority(priority);
    kernel().lanes().ensure(ref(), priority);
  }

  @Override
  public Schedules schedules() {
    return new DefaultSchedules(
        new DefaultSchedules.Parts(
            kernel().database(),
            kernel().registry(),
            kernel().tablesOnDemand(),
            kernel().taskIds(),
            kernel().doorbell()),
        services.producing.admission.rules(),
        kernel().lanes(),
        this::ref);
  }

  @Override
  public Graphs graphs() {
    return new DefaultGraphs(
        new GraphWriter.Parts(
            kernel().database(),
            kernel().taskIds(),
            kernel().doorbell(),
            services.features.graphTables(),
            services.features.nodeSpread()),
        services.producing.admission.rules(),
        kernel().lanes(),
        this::ref,
        this::canceller);
  }

  @Override
  public String toString() {
    return ref.label();
  }

  private Kernel kernel() {
    return services.kernel;
  }

  private HistoryScan.Sources historySources() {
    return new HistoryScan.Sources(
        kernel().database(), kernel().tables(), kernel().settings().tasks().archive());
  }

  private PendingCanceller canceller(TenantRef tenant) {
    return new PendingCanceller(
        kernel().database(), kernel().registry(), kernel().extensions(), tenant);
  }

  private LongRunningTasks longRunningTasks() {
    return new LongRunningTasks(
        kernel().database(), kernel().tables(), kernel().batchReturn(), kernel().doorbell(), ref());
  }

  private PriorityChanger priorityChanger() {
    return new PriorityChanger(kernel().database(), kernel().lanes(), kernel().doorbell(), ref());
  }

  private Redriver redriver() {
    return new Redriver(
        kernel().database(),
        kernel().registry(),
        services.features.keyTables(),
        kernel().doorbell(),
        ref());
  }

  /**
   * Copies a failure. Other callers may get the same exception from the same commit, so each gets a
   * stack trace of its own.
   */
  private static RuntimeException inThisThread(CompletionException e) {
    if (e.getCause() instanceof DatabaseException cause) {
      return SqlErrors.inThisThread(cause);
    }
    if (e.getCause() instanceof QuotaExceededException own) {
      // No other caller has it, but it was made by the writer's thread.
      own.setStackTrace(e.getStackTrace());
      return own;
    }
    return e.getCause() instanceof RotaException cause ? cause : e;
  }

  private TenantRef ref() {
    ref.use();
    return ref;
  }
}
