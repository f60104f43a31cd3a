package dev.rota.internal;

import dev.rota.Attempt;
import dev.rota.Batch;
import dev.rota.DatabaseException;
import dev.rota.NewTask;
import dev.rota.RotaException;
import dev.rota.TaskState;
import dev.rota.Tenant;
import dev.rota.assignment.Assignments;
import dev.rota.control.Redrive;
import dev.rota.control.Replay;
import dev.rota.control.ReplayResult;
import dev.rota.control.TaskFilter;
import dev.rota.control.internal.CancelRequester;
import dev.rota.control.internal.LongRunningTasks;
import dev.rota.control.internal.PendingCanceller;
import dev.rota.control.internal.PriorityChanger;
import dev.rota.control.internal.Redriver;
import dev.rota.control.internal.Replayer;
import dev.rota.graph.Graphs;
import dev.rota.graph.internal.DefaultGraphs;
import dev.rota.graph.internal.GraphWriter;
import dev.rota.history.ArchiveUse;
import dev.rota.history.ErrorGroup;
import dev.rota.history.HistoryCounts;
import dev.rota.history.HistoryDimension;
import dev.rota.history.HistoryFilter;
import dev.rota.history.HistoryPage;
import dev.rota.history.HourlyStatistics;
import dev.rota.history.RetentionPolicy;
import dev.rota.history.internal.AttemptReader;
import dev.rota.history.internal.ErrorGroupReader;
import dev.rota.history.internal.HistoryCounter;
import dev.rota.history.internal.HistoryReader;
import dev.rota.history.internal.HistoryScan;
import dev.rota.history.internal.RetentionPolicies;
import dev.rota.history.internal.StatisticsReader;
import dev.rota.internal.claim.ClaimRequest;
import dev.rota.internal.claim.Claimer;
import dev.rota.internal.config.RotaConfig;
import dev.rota.internal.db.Failures;
import dev.rota.internal.enqueue.DaemonWatch;
import dev.rota.internal.enqueue.Enqueuer;
import dev.rota.internal.enqueue.GroupCommit;
import dev.rota.internal.settle.LeasedBatch;
import dev.rota.internal.tenant.TaskValidator;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.schedule.Schedules;
import dev.rota.schedule.internal.DefaultSchedules;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jooq.DSLContext;

/** A tenant in the hands of a user: hands each call to the part that does it. */
final class DefaultTenant implements Tenant {

  private static final int MOST_CLAIMED = 10_000;

  private final TenantRef handle;
  private final Services services;

  DefaultTenant(TenantRef handle, Services services) {
    this.handle = handle;
    this.services = services;
  }

  /**
   * What the tenants of one Rota share.
   *
   * @param assignments opens the assignment pools of a tenant
   */
  record Services(
      Kernel kernel,
      Producing producing,
      Claimer claimer,
      DaemonWatch daemonWatch,
      Function<TenantRef, Assignments> assignments) {}

  /** What stores new tasks. */
  record Producing(Enqueuer.Admission admission, Enqueuer enqueuer, Commits commits) {}

  /** Group commits for tasks without keys and with them. */
  record Commits(GroupCommit plain, GroupCommit keyed) {

    GroupCommit of(NewTask task) {
      return Enqueuer.hasKey(task) ? keyed : plain;
    }
  }

  @Override
  public int number() {
    return handle.number();
  }

  @Override
  public String name() {
    return handle().state().name();
  }

  @Override
  public long enqueue(NewTask task) {
    services.producing.admission.admit(handle(), task);
    try {
      return services.producing.commits.of(task).enqueueAndJoin(handle, task).join();
    } catch (CompletionException e) {
      throw inThisThread(e);
    }
  }

  @Override
  public List<Long> enqueueAll(List<NewTask> tasks) {
    return services.producing.enqueuer.enqueueAll(handle(), tasks);
  }

  @Override
  public CompletableFuture<Long> enqueueAsync(NewTask task) {
    services.producing.admission.admit(handle(), task);
    return services.producing.commits.of(task).enqueueAsync(handle, task);
  }

  @Override
  public long enqueue(Connection connection, NewTask task) {
    services.producing.admission.rules().check(task);
    return enqueueAll(connection, List.of(task)).get(0);
  }

  @Override
  public List<Long> enqueueAll(Connection connection, List<NewTask> tasks) {
    return services.producing.enqueuer.enqueueAll(connection, handle(), tasks);
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
  public Batch claim(int max) {
    RotaConfig.within("max", max, 1, MOST_CLAIMED);
    ClaimRequest request = new ClaimRequest(handle(), max, ClaimRequest.ALL_SLOTS, true);
    return new LeasedBatch(
        services.claimer.claim(List.of(request)).get(0).batch(),
        kernel().settler(),
        new LeasedBatch.HandBack(
            kernel().database(), kernel().batchReturn(), kernel().lease(), kernel().doorbell()),
        services.daemonWatch,
        kernel().settings());
  }

  @Override
  public Assignments assignments() {
    return services.assignments.apply(handle());
  }

  @Override
  public List<Attempt> scanAttempts(long taskId) {
    return scanAttempts(taskId, HistoryScan.warning(handle()));
  }

  @Override
  public List<Attempt> scanAttempts(long taskId, Consumer<ArchiveUse> archive) {
    return new AttemptReader(history(), handle()).attempts(taskId, archive);
  }

  @Override
  public Map<TaskState, Long> scanCounts() {
    return new AttemptReader(history(), handle()).counts();
  }

  @Override
  public HistoryPage history(HistoryFilter filter) {
    return new HistoryReader(history(), handle()).page(filter);
  }

  @Override
  public HistoryCounts countHistory(HistoryFilter filter, HistoryDimension... by) {
    return new HistoryCounter(history(), handle()).count(filter, Set.of(by));
  }

  @Override
  public List<ErrorGroup> scanErrorGroups(HistoryFilter filter) {
    return scanErrorGroups(filter, HistoryScan.warning(handle()));
  }

  @Override
  public List<ErrorGroup> scanErrorGroups(HistoryFilter filter, Consumer<ArchiveUse> archive) {
    return new ErrorGroupReader(history(), handle()).read(filter, archive);
  }

  @Override
  public ReplayResult replay(Replay replay) {
    return new Replayer(history(), services.producing.enqueuer, handle()).replay(replay);
  }

  @Override
  public long redrive(Redrive what) {
    return new Redriver(
            kernel().database(),
            kernel().registry(),
            kernel().keyTables(),
            kernel().doorbell(),
            handle())
        .redrive(what);
  }

  @Override
  public long cancel(TaskFilter which, String reason) {
    return canceller(handle()).cancel(which, reason);
  }

  @Override
  public long cancelRunning(TaskFilter which, String reason) {
    return new CancelRequester(kernel().database(), kernel().tables(), handle())
        .cancel(which, reason);
  }

  @Override
  public long changePriority(TaskFilter which, int priority) {
    return new PriorityChanger(
            kernel().database(),
            kernel().registry(),
            kernel().lanes(),
            kernel().doorbell(),
            handle())
        .change(which, priority);
  }

  @Override
  public void addLane(int priority) {
    TaskValidator.checkPriority(priority);
    kernel().lanes().ensure(handle(), priority);
  }

  @Override
  public List<Attempt> running(Duration longerThan) {
    return hungTasks().list(longerThan);
  }

  @Override
  public long returnRunning(Duration longerThan) {
    return hungTasks().giveBack(longerThan);
  }

  @Override
  public List<HourlyStatistics> statistics(Instant from, Instant to) {
    return new StatisticsReader(kernel().database(), kernel().tables(), handle()).read(from, to);
  }

  @Override
  public Schedules schedules() {
    return new DefaultSchedules(
        new DefaultSchedules.Parts(
            kernel().database(), kernel().registry(), kernel().taskIds(), kernel().doorbell()),
        services.producing.admission.rules(),
        kernel().lanes(),
        this::handle);
  }

  @Override
  public Graphs graphs() {
    return new DefaultGraphs(
        new GraphWriter.Parts(
            kernel().database(),
            kernel().taskIds(),
            kernel().doorbell(),
            kernel().graphTables(),
            kernel().nodeSpread()),
        services.producing.admission.rules(),
        kernel().lanes(),
        this::handle,
        this::canceller);
  }

  @Override
  public RetentionPolicy policy() {
    return policies().read(handle());
  }

  @Override
  public RetentionPolicy changePolicy(UnaryOperator<RetentionPolicy> change) {
    return policies().change(handle(), change);
  }

  @Override
  public String toString() {
    return handle.label();
  }

  private Kernel kernel() {
    return services.kernel;
  }

  private HistoryScan.Sources history() {
    return new HistoryScan.Sources(
        kernel().database(), kernel().tables(), kernel().settings().archive());
  }

  private PendingCanceller canceller(TenantRef tenant) {
    return new PendingCanceller(
        kernel().database(), kernel().registry(), kernel().endEffects(), tenant);
  }

  private LongRunningTasks hungTasks() {
    return new LongRunningTasks(
        kernel().database(),
        kernel().tables(),
        kernel().batchReturn(),
        kernel().doorbell(),
        handle());
  }

  private RetentionPolicies policies() {
    return new RetentionPolicies(kernel().database(), kernel().tables());
  }

  /** Others may get the same exception from the same commit, so each gets a trace of its own. */
  private static RuntimeException inThisThread(CompletionException e) {
    if (e.getCause() instanceof DatabaseException cause) {
      return Failures.inThisThread(cause);
    }
    return e.getCause() instanceof RotaException cause ? cause : e;
  }

  /** Every use lets the registry notice that it may be stale. */
  private TenantRef handle() {
    kernel().ensureOpen();
    kernel().registry().touch();
    return handle;
  }
}
