package dev.rota.internal;

import dev.rota.RotaClosedException;
import dev.rota.internal.db.CallObserver;
import dev.rota.internal.db.Database;
import dev.rota.internal.db.GraphDdl;
import dev.rota.internal.db.RotaTables;
import dev.rota.internal.db.TenantDdl;
import dev.rota.internal.db.TenantTables;
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
 * The parts that move the tasks of one Rota, put together. What assembles features, workers and the
 * daemon takes parts out of it; all other classes are given the parts that they use. Thread-safe.
 */
public final class Kernel implements AutoCloseable {

  private static final int TASK_ID_BLOCK = 1_024;
  private static final int BATCH_ID_BLOCK = 128;
  private static final Duration LAST_WORDS = Duration.ofSeconds(5);

  /** Enough for heartbeats beside a scan for lost batches and a refresh that waits for a lock. */
  private static final int BACKGROUND_THREADS = 3;

  private final RotaSettings settings;
  private final Database database;
  private final ScheduledThreadPoolExecutor background;
  private final TenantRegistry registry;
  private final IdBlocks taskIds;
  private final IdBlocks batchIds;
  private final Doorbell doorbell;
  private final BatchReturn batchReturn;
  private final Lease lease;
  private final Settler settler;
  private final Claimer.Factory claimers;
  private final LaneMaker lanes;
  private final FeatureTables keyTables;
  private final EndEffects endEffects;
  private final FeatureTables graphTables;
  private final NodeSpread nodeSpread;
  private final OddRows oddRows;
  private final Set<Runnable> dependents = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  Kernel(RotaSettings settings, DataSource dataSource, CallObserver observer) {
    this.settings = settings;
    this.database = new Database(dataSource, settings.transactions(), observer);
    this.background = newBackground();
    RotaTables tables = settings.tables();
    this.taskIds = new IdBlocks(database, tables.sequence("task_id"), TASK_ID_BLOCK, background);
    this.registry =
        new TenantRegistry(
            database, tables, settings.registryRefresh(), background, taskIds::skipTo);
    this.batchIds = new IdBlocks(database, tables.sequence("batch_id"), BATCH_ID_BLOCK, background);
    this.doorbell = new Doorbell(database, tables.channel(), background, settings.doorbell());
    this.keyTables =
        new FeatureTables(database, tables, "keys", TenantTables::keys, TenantDdl::createKeys);
    this.graphTables =
        new FeatureTables(database, tables, "graphs", TenantTables::spread, GraphDdl::create);
    MarkTables marks = new MarkTables(keyTables, graphTables);
    this.nodeSpread = new NodeSpread(database, background, registry, doorbell);
    this.endEffects =
        new EndEffects(registry, marks, List.of(new KeyEnds(doorbell), nodeSpread.ends()));
    this.batchReturn = new BatchReturn(tables, registry, endEffects);
    this.lease = new Lease(database, tables, settings.lease(), background, batchReturn);
    database.history().onChange(this::forgetNumbers);
    this.lanes = new LaneMaker(database, registry, tables);
    this.oddRows = new OddRows(tables, registry, marks, endEffects);
    this.settler = new Settler(database, registry, lease, doorbell, endEffects);
    BatchOpener batches = new BatchOpener(batchIds, lease, registry);
    this.claimers =
        new Claimer.Factory(
            settings,
            new Claimer.Parts(database, registry, batches, oddRows, endEffects),
            new CancelWatch(database, tables, lease),
            background);
  }

  private static ScheduledThreadPoolExecutor newBackground() {
    ScheduledThreadPoolExecutor background =
        new ScheduledThreadPoolExecutor(BACKGROUND_THREADS, new NamedThreads("rota-background"));
    background.setRemoveOnCancelPolicy(true);
    // What comes too late for close(), such as a doorbell or a refresh, is not missed.
    background.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
    background.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    return background;
  }

  /** The server is in another history, in which the numbers mean nothing. */
  private void forgetNumbers() {
    taskIds.forget();
    batchIds.forget();
    lease.doubt();
    batchReturn.forgetScans();
  }

  public RotaSettings settings() {
    return settings;
  }

  public RotaTables tables() {
    return settings.tables();
  }

  public Database database() {
    return database;
  }

  public TenantRegistry registry() {
    return registry;
  }

  IdBlocks taskIds() {
    return taskIds;
  }

  public Doorbell doorbell() {
    return doorbell;
  }

  public BatchReturn batchReturn() {
    return batchReturn;
  }

  public Lease lease() {
    return lease;
  }

  /** Writes the outcomes of batches. */
  public Settler settler() {
    return settler;
  }

  /** Makes what claims batches. */
  public Claimer.Factory claimers() {
    return claimers;
  }

  LaneMaker lanes() {
    return lanes;
  }

  FeatureTables keyTables() {
    return keyTables;
  }

  EndEffects endEffects() {
    return endEffects;
  }

  FeatureTables graphTables() {
    return graphTables;
  }

  /** Sets aside what no worker can run. */
  public OddRows oddRows() {
    return oddRows;
  }

  /** Closes this before the parts: a daemon in this process. */
  public void addDependent(Runnable close) {
    dependents.add(close);
  }

  /** It was closed by itself. */
  public void removeDependent(Runnable close) {
    dependents.remove(close);
  }

  void closeDependents() {
    Set.copyOf(dependents).forEach(Runnable::run);
  }

  public NodeSpread nodeSpread() {
    return nodeSpread;
  }

  /** Enqueues what schedules bring. */
  public ScheduleRunner scheduleRunner() {
    return new ScheduleRunner(registry, taskIds);
  }

  public ScheduledExecutorService timer() {
    return background;
  }

  /** Refuses work after {@link #close()}. */
  void ensureOpen() {
    if (closed) {
      throw new RotaClosedException("this Rota was closed; build another one");
    }
  }

  /** Marks it closed, so that nothing new begins; what runs may still use it. */
  void refuseNewWork() {
    closed = true;
  }

  /** Lets what runs in the background finish, so that the pool closes over no open connection. */
  @Override
  public void close() {
    closed = true;
    background.shutdown();
    try {
      boolean unused = background.awaitTermination(LAST_WORDS.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    background.shutdownNow();
  }
}
