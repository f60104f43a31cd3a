package dev.rota.internal;

import dev.rota.ArchiveUse;
import dev.rota.Assignments;
import dev.rota.Attempt;
import dev.rota.Batch;
import dev.rota.DatabaseException;
import dev.rota.ErrorGroup;
import dev.rota.Graphs;
import dev.rota.HistoryCounts;
import dev.rota.HistoryDimension;
import dev.rota.HistoryFilter;
import dev.rota.HistoryPage;
import dev.rota.HourlyStatistics;
import dev.rota.NewTask;
import dev.rota.Redrive;
import dev.rota.Replay;
import dev.rota.ReplayResult;
import dev.rota.RotaException;
import dev.rota.Schedules;
import dev.rota.TaskFilter;
import dev.rota.TaskState;
import dev.rota.Tenant;
import dev.rota.TenantPolicy;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jooq.DSLContext;

/** A tenant in the hands of a user: hands each call to the part that does it. */
final class TenantView implements Tenant {

  private static final int MOST_CLAIMED = 10_000;

  private final TenantHandle handle;
  private final Services services;

  TenantView(TenantHandle handle, Services services) {
    this.handle = handle;
    this.services = services;
  }

  /** What the tenants of one Rota share. */
  record Services(
      Engine engine, Enqueuer enqueuer, Commits commits, TaskRules rules, Claimer claimer) {}

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
    admit(task);
    try {
      return services.commits.of(task).enqueueAndJoin(handle, task).join();
    } catch (CompletionException e) {
      throw inThisThread(e);
    }
  }

  @Override
  public List<Long> enqueueAll(List<NewTask> tasks) {
    return services.enqueuer.enqueueAll(handle(), tasks);
  }

  @Override
  public CompletableFuture<Long> enqueueAsync(NewTask task) {
    admit(task);
    return services.commits.of(task).enqueueAsync(handle, task);
  }

  @Override
  public long enqueue(Connection connection, NewTask task) {
    services.rules.check(task);
    return enqueueAll(connection, List.of(task)).get(0);
  }

  @Override
  public List<Long> enqueueAll(Connection connection, List<NewTask> tasks) {
    return services.enqueuer.enqueueAll(connection, handle(), tasks);
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
    RotaSettings.within("max", max, 1, MOST_CLAIMED);
    ClaimRequest request = new ClaimRequest(handle(), max, ClaimRequest.ALL_SLOTS, true);
    return new HeldBatch(services.engine, services.claimer.claim(List.of(request)).get(0).batch());
  }

  @Override
  public Assignments assignments() {
    return new AssignmentsView(services.engine, handle());
  }

  @Override
  public List<Attempt> scanAttempts(long taskId) {
    return scanAttempts(taskId, HistoryScan.warning(handle()));
  }

  @Override
  public List<Attempt> scanAttempts(long taskId, Consumer<ArchiveUse> archive) {
    return new AttemptReader(services.engine, handle()).attempts(taskId, archive);
  }

  @Override
  public Map<TaskState, Long> scanCounts() {
    return new AttemptReader(services.engine, handle()).counts();
  }

  @Override
  public HistoryPage history(HistoryFilter filter) {
    return new HistoryReader(services.engine, handle()).page(filter);
  }

  @Override
  public HistoryCounts countHistory(HistoryFilter filter, HistoryDimension... by) {
    return new HistoryCounter(services.engine, handle()).count(filter, Set.of(by));
  }

  @Override
  public List<ErrorGroup> scanErrorGroups(HistoryFilter filter) {
    return scanErrorGroups(filter, HistoryScan.warning(handle()));
  }

  @Override
  public List<ErrorGroup> scanErrorGroups(HistoryFilter filter, Consumer<ArchiveUse> archive) {
    return new ErrorGroupReader(services.engine, handle()).read(filter, archive);
  }

  @Override
  public ReplayResult replay(Replay replay) {
    return new Replayer(services.engine, services.enqueuer, handle()).replay(replay);
  }

  @Override
  public long redrive(Redrive what) {
    return new Redriver(services.engine, handle()).redrive(what);
  }

  @Override
  public long cancel(TaskFilter which, String reason) {
    return new Canceller(services.engine, handle()).cancel(which, reason);
  }

  @Override
  public long cancelRunning(TaskFilter which, String reason) {
    return new RunningCanceller(services.engine, handle()).cancel(which, reason);
  }

  @Override
  public long changePriority(TaskFilter which, int priority) {
    return new Reprioritizer(services.engine, handle()).change(which, priority);
  }

  @Override
  public void addLane(int priority) {
    TaskRules.checkPriority(priority);
    services.engine.lanes().ensure(handle(), priority);
  }

  @Override
  public List<Attempt> running(Duration longerThan) {
    return new HungTasks(services.engine, handle()).list(longerThan);
  }

  @Override
  public long returnRunning(Duration longerThan) {
    return new HungTasks(services.engine, handle()).giveBack(longerThan);
  }

  @Override
  public List<HourlyStatistics> statistics(Instant from, Instant to) {
    return new StatisticReader(services.engine, handle()).read(from, to);
  }

  @Override
  public Schedules schedules() {
    return new SchedulesView(services.engine, this::handle, services.rules);
  }

  @Override
  public Graphs graphs() {
    return new GraphsView(services.engine, this::handle, services.rules);
  }

  @Override
  public TenantPolicy policy() {
    return new Policies(services.engine).read(handle());
  }

  @Override
  public TenantPolicy changePolicy(UnaryOperator<TenantPolicy> change) {
    return new Policies(services.engine).change(handle(), change);
  }

  @Override
  public String toString() {
    return handle.label();
  }

  private void admit(NewTask task) {
    Enqueuer.refuseClosed(handle());
    services.rules.check(task);
    services.engine.daemonWatch().expect(task);
    services.engine.lanes().ensure(handle, task.priority());
  }

  /** Others may get the same exception from the same commit, so each gets a trace of its own. */
  private static RuntimeException inThisThread(CompletionException e) {
    if (e.getCause() instanceof DatabaseException cause) {
      return Failures.inThisThread(cause);
    }
    return e.getCause() instanceof RotaException cause ? cause : e;
  }

  /** Every use lets the registry notice that it may be stale. */
  private TenantHandle handle() {
    services.engine.ensureOpen();
    services.engine.registry().touch();
    return handle;
  }
}
