package dev.rota.internal;

import dev.rota.internal.claim.ClaimRequest.RecentRules;
import dev.rota.internal.claim.Claimer;
import dev.rota.internal.claim.InvalidRows;
import dev.rota.internal.claim.TaskRules;
import dev.rota.internal.config.RotaConfig;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.NamedThreads;
import dev.rota.internal.db.Session.StatementObserver;
import dev.rota.internal.enqueue.Doorbell;
import dev.rota.internal.enqueue.IdAllocator;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.settle.BatchRecovery;
import dev.rota.internal.settle.LeftKinds;
import dev.rota.internal.settle.ProcessLease;
import dev.rota.internal.settle.Settler;
import dev.rota.internal.settle.TaskExtension;
import dev.rota.internal.settle.TaskExtensions;
import dev.rota.internal.tenant.LaneCreator;
import dev.rota.internal.tenant.SlotWidener;
import dev.rota.internal.tenant.TablesOnDemand;
import dev.rota.internal.tenant.TenantRegistry;
import dev.rota.internal.worker.NotifyListener;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/**
 * Assembles the parts that move the tasks of one Rota. They name no feature: features extend them.
 * Only the classes that assemble features, workers and the daemon take parts out of it; all other
 * classes get the parts that they use. Thread-safe.
 */
public final class Kernel implements AutoCloseable {

  private static final int TASK_ID_BLOCK = 1_024;
  private static final int BATCH_ID_BLOCK = 128;
  private static final Duration LAST_WORDS = Duration.ofSeconds(5);

  /**
   * The number of background threads: enough for heartbeats beside a scan for lost batches and a
   * refresh that waits for a lock.
   */
  private static final int BACKGROUND_THREADS = 3;

  private final Base base;
  private final TaskRules.Source rules;
  private final RecentRules recentRules;
  private final IdAllocator batchIds;
  private final BatchRecovery batchRecovery;
  private final ProcessLease lease;
  private final Settler settler;
  private final Claimer.Factory claimers;
  private final NotifyListener notifyListener;
  private final LaneCreator laneCreator;
  private final SlotWidener slotWidener;
  private final TaskExtensions extensions;
  private final InvalidRows invalidRows;
  private final Set<Runnable> dependents = ConcurrentHashMap.newKeySet();

  /** The lower parts of a kernel, which features use as well. */
  static final class Base {
    final RotaConfig settings;
    final Database database;
    final ScheduledThreadPoolExecutor background = newBackground();
    final IdAllocator taskIds;
    final TenantRegistry registry;
    final TablesOnDemand tablesOnDemand;
    final Doorbell doorbell;

    Base(RotaConfig settings, DataSource dataSource, StatementObserver observer) {
      this.settings = settings;
      this.database = new Database(dataSource, settings.process().transactions(), observer);
      RegistryTables tables = settings.tables();
      this.taskIds =
          new IdAllocator(database, tables.sequence("task_id"), TASK_ID_BLOCK, background);
      this.registry =
          new TenantRegistry(
              database, tables, settings.process().registryRefresh(), background, taskIds::skipTo);
      this.tablesOnDemand = new TablesOnDemand(database, registry);
      this.doorbell =
          new Doorbell(
              database,
              tables.channel(),
              background,
              settings.process().doorbell(),
              settings.timing().nanoTime());
    }
  }

  /**
   * Creates the kernel of one Rota.
   *
   * @param features the extensions of the features, in the order of their calls
   * @param rules the rules that a feature keeps
   */
  Kernel(Base base, List<TaskExtension> features, TaskRules.Source rules) {
    this.base = base;
    this.rules = rules;
    RotaConfig settings = base.settings;
    this.recentRules = new RecentRules(rules, base.registry, settings.timing().nanoTime());
    base.registry.onRuleVersion(recentRules);
    RegistryTables tables = settings.tables();
    Database database = base.database;
    TenantRegistry registry = base.registry;
    this.batchIds =
        new IdAllocator(database, tables.sequence("batch_id"), BATCH_ID_BLOCK, base.background);
    this.extensions = new TaskExtensions(registry, features);
    this.batchRecovery = new BatchRecovery(tables, registry, extensions);
    this.lease =
        new ProcessLease(
            database, tables, settings.process().lease(), base.background, batchRecovery);
    rules.leaseBy(lease);
    database.history().onChange(this::forgetHistory);
    this.slotWidener = new SlotWidener(database);
    this.laneCreator = new LaneCreator(database, registry, tables, slotWidener);
    this.invalidRows = new InvalidRows(tables, registry, extensions);
    this.notifyListener = new NotifyListener(database, tables, base.doorbell);
    this.settler = new Settler(database, registry, lease, base.doorbell, extensions);
    this.claimers =
        new Claimer.Factory(
            settings,
            new Claimer.Parts(
                database,
                new Claimer.Ledger(registry, batchIds, lease),
                invalidRows,
                extensions,
                rules.present()),
            base.background,
            new LeftKinds(settings.timing().nanoTime()));
  }

  private static ScheduledThreadPoolExecutor newBackground() {
    ScheduledThreadPoolExecutor background =
        new ScheduledThreadPoolExecutor(BACKGROUND_THREADS, new NamedThreads("rota-background"));
    background.setRemoveOnCancelPolicy(true);
    // A doorbell or a refresh that comes too late for close() may be dropped.
    background.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
    background.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    return background;
  }

  /**
   * Discards what was true of the former history of the server. Tenants come first: a transaction
   * with new numbers is to confirm them.
   */
  private void forgetHistory() {
    base.registry.forget();
    base.taskIds.forget();
    batchIds.forget();
    lease.doubt();
    batchRecovery.forgetScans();
    rules.forget();
  }

  public RotaConfig settings() {
    return base.settings;
  }

  public RegistryTables tables() {
    return base.settings.tables();
  }

  public Database database() {
    return base.database;
  }

  public TenantRegistry registry() {
    return base.registry;
  }

  IdAllocator taskIds() {
    return base.taskIds;
  }

  public Doorbell doorbell() {
    return base.doorbell;
  }

  /** Hears the doorbells of other processes. */
  NotifyListener notifyListener() {
    return notifyListener;
  }

  public BatchRecovery batchReturn() {
    return batchRecovery;
  }

  public ProcessLease lease() {
    return lease;
  }

  /** Writes the outcomes of batches. */
  public Settler settler() {
    return settler;
  }

  /** Creates the claimers. */
  public Claimer.Factory claimers() {
    return claimers;
  }

  /** Makes the tables of parked tenants. */
  public TablesOnDemand tablesOnDemand() {
    return base.tablesOnDemand;
  }

  LaneCreator lanes() {
    return laneCreator;
  }

  SlotWidener slotWidener() {
    return slotWidener;
  }

  /** The rules by which tasks begin. */
  public TaskRules.Source rules() {
    return rules;
  }

  /** Knows when the rules of this process were the present ones. */
  public RecentRules recentRules() {
    return recentRules;
  }

  /** The extensions of the features. */
  TaskExtensions extensions() {
    return extensions;
  }

  /** Sets aside rows that no worker can run. */
  public InvalidRows invalidRows() {
    return invalidRows;
  }

  /** Registers an object to close before the parts, such as a daemon in this process. */
  public void addDependent(Runnable close) {
    dependents.add(close);
  }

  /** Removes an object that was closed by itself. */
  public void removeDependent(Runnable close) {
    dependents.remove(close);
  }

  void closeDependents() {
    Set.copyOf(dependents).forEach(Runnable::run);
  }

  public ScheduledExecutorService timer() {
    return base.background;
  }

  /** Refuses work after {@link #close()}. */
  void ensureOpen() {
    base.registry.ensureOpen();
  }

  /** Marks the kernel as closed, so that no new work begins; running work may still use it. */
  void refuseNewWork() {
    base.registry.close();
  }

  /** Lets background work finish, so that the pool closes over no open connection. */
  @Override
  public void close() {
    refuseNewWork();
    base.background.shutdown();
    try {
      boolean unused =
          base.background.awaitTermination(LAST_WORDS.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    base.background.shutdownNow();
  }
}
