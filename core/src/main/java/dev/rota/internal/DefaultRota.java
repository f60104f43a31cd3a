package dev.rota.internal;

import dev.rota.Rota;
import dev.rota.Tenants;
import dev.rota.Worker;
import dev.rota.admin.Admin;
import dev.rota.admin.internal.DefaultAdmin;
import dev.rota.admin.internal.Migration;
import dev.rota.admin.internal.Preflight;
import dev.rota.admin.internal.PreflightChecks;
import dev.rota.admin.internal.StatusReader;
import dev.rota.assignment.Assignments;
import dev.rota.assignment.internal.AssignmentTransactions;
import dev.rota.assignment.internal.DefaultAssignments;
import dev.rota.assignment.internal.DefaultPool;
import dev.rota.assignment.internal.PoolRegistry;
import dev.rota.audit.AuditLog;
import dev.rota.audit.internal.DefaultAuditLog;
import dev.rota.insight.Insight;
import dev.rota.insight.internal.DefaultInsight;
import dev.rota.internal.config.RotaConfig;
import dev.rota.internal.db.Database;
import dev.rota.internal.enqueue.DaemonWatch;
import dev.rota.internal.enqueue.Enqueuer;
import dev.rota.internal.enqueue.GroupCommit;
import dev.rota.internal.enqueue.GroupCommit.PlainStore;
import dev.rota.internal.enqueue.KeyedStore;
import dev.rota.internal.log.Logs;
import dev.rota.internal.settle.ClaimedBatch.BatchEnd;
import dev.rota.internal.tenant.TaskValidator;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.limits.Controls;
import dev.rota.limits.internal.DefaultControls;
import dev.rota.metering.Metering;
import dev.rota.metering.internal.DefaultMetering;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;

/** Default implementation of {@link Rota}: assembles the parts, and closes them in order. */
public final class DefaultRota implements Rota {

  private static final Logger log = Logs.of(DefaultRota.class);

  /** How long {@link #close} waits for what other processes take over anyway. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final Kernel kernel;
  private final Features features;
  private final Runnable closePool;
  private final Preflight preflight;
  private final DaemonWatch daemonWatch;
  private final PoolRegistry assignmentPools;
  private final GroupCommit groupCommit;
  private final GroupCommit keyedCommit;
  private final Tenants tenants;
  private final Insight insight;
  private final OpenWorkers workers = new OpenWorkers();
  private boolean closed;

  /** A Rota of an integration in front of one of this class, to which it forwards all calls. */
  public interface Wrapper extends Rota {

    /** The Rota behind it. */
    Rota wrapped();
  }

  DefaultRota(Kernel kernel, Features features, Runnable closePool) {
    this.kernel = kernel;
    this.features = features;
    this.closePool = closePool;
    RotaConfig settings = kernel.settings();
    Database database = kernel.database();
    this.preflight =
        new Preflight(
            database,
            kernel.timer(),
            new PreflightChecks(kernel.tables(), settings.lockNamespace()));
    this.daemonWatch =
        new DaemonWatch(
            database,
            kernel.registry(),
            settings.lockNamespace(),
            kernel.timer(),
            settings.timing().daemonWatch());
    this.assignmentPools =
        new PoolRegistry(database, kernel.tables(), settings.lockNamespace(), kernel.lease());
    GroupCommit.Admission admission =
        new GroupCommit.Admission(
            new TaskValidator(settings.tasks().payloads()),
            kernel.tablesOnDemand(),
            kernel.lanes(),
            kernel.slotWidener(),
            daemonWatch);
    this.groupCommit = groupCommit(admission, new PlainStore(kernel.taskIds()));
    this.keyedCommit =
        groupCommit(admission, new KeyedStore(kernel.extensions(), kernel.taskIds()));
    DefaultTenant.Services services =
        new DefaultTenant.Services(
            kernel,
            features,
            producing(admission),
            kernel.claimers().claimer(null, BatchEnd.OPEN),
            assignments(new AssignmentTransactions(database)));
    this.tenants =
        new DefaultTenants(
            kernel::ensureOpen,
            database,
            kernel.registry(),
            tenant -> new DefaultTenant(tenant, services));
    this.insight =
        new DefaultInsight(
            kernel::ensureOpen,
            database,
            kernel.registry(),
            statusReader(),
            settings.timing().nanoTime());
  }

  private DefaultTenant.Producing producing(GroupCommit.Admission admission) {
    return new DefaultTenant.Producing(
        admission,
        new Enqueuer(
            kernel.database(), kernel.taskIds(), kernel.doorbell(), admission, kernel.extensions()),
        new DefaultTenant.Commits(groupCommit, keyedCommit),
        kernel.settings().timing().observer());
  }

  private Function<TenantRef, Assignments> assignments(AssignmentTransactions transactions) {
    return tenant ->
        new DefaultAssignments(
            kernel::ensureOpen,
            assignmentPools,
            pool ->
                new DefaultPool(
                    kernel::ensureOpen, kernel.database(), kernel.lease(), transactions, pool),
            tenant);
  }

  private GroupCommit groupCommit(GroupCommit.Admission admission, GroupCommit.Store store) {
    return new GroupCommit(
        admission,
        kernel.database(),
        store,
        kernel.doorbell(),
        kernel.settings().process().asyncMemory());
  }

  /** The parts behind a Rota, for the daemon. */
  public static Kernel kernelOf(Rota rota) {
    return viewOf(rota).kernel;
  }

  /** The features of a Rota, for the daemon. */
  public static Features featuresOf(Rota rota) {
    return viewOf(rota).features;
  }

  /** The preflight of a Rota, for the daemon. */
  public static Preflight preflightOf(Rota rota) {
    return viewOf(rota).preflight;
  }

  private static DefaultRota viewOf(Rota rota) {
    if (rota instanceof DefaultRota view) {
      return view;
    }
    if (rota instanceof Wrapper wrapper) {
      return viewOf(wrapper.wrapped());
    }
    throw new IllegalArgumentException("this Rota was not built by Rota.builder(...)");
  }

  /** Whether migrations of this library are pending for the schema, as far as its role can see. */
  public static boolean isSchemaBehind(Rota rota) {
    return viewOf(rota).migration().isPending();
  }

  private Migration migration() {
    return new Migration(
        kernel.database(), kernel.registry(), kernel.settings().lockNamespace(), preflight);
  }

  @Override
  public Admin admin() {
    return new DefaultAdmin(kernel::ensureOpen, migration(), preflight, statusReader());
  }

  private StatusReader statusReader() {
    return new StatusReader(
        kernel.database(), kernel.tables(), kernel.settings().lockNamespace(), migration());
  }

  @Override
  public AuditLog audit() {
    return new DefaultAuditLog(kernel::ensureOpen, kernel.database(), kernel.registry());
  }

  @Override
  public Insight insight() {
    return insight;
  }

  @Override
  public <T> T withStatementLimit(Duration longest, Supplier<T> work) {
    return Database.within(
        RotaConfig.within("longest", longest, Duration.ofMillis(1), Duration.ofHours(1)), work);
  }

  @Override
  public Metering metering() {
    return new DefaultMetering(kernel::ensureOpen, kernel.database(), kernel.registry());
  }

  @Override
  public Tenants tenants() {
    return tenants;
  }

  @Override
  public Controls controls() {
    return new DefaultControls(
        kernel::ensureOpen,
        kernel.database(),
        kernel.registry(),
        features.rules(),
        kernel.settings().lockNamespace());
  }

  @Override
  public Worker.Builder worker() {
    workers.ensureOpen();
    return new WorkerBuilder(kernel, preflight, daemonWatch, workers);
  }

  @Override
  public void close() {
    if (workers.areRunBy(Thread.currentThread())) {
      throw new IllegalStateException(
          "a handler called close() of its own Rota, which waits for handlers to end; call it in"
              + " another thread");
    }
    closeOnce();
  }

  private synchronized void closeOnce() {
    if (closed) {
      return;
    }
    closed = true;
    // First: handlers use this Rota until they end.
    workers.close();
    kernel.refuseNewWork();
    groupCommit.close();
    keyedCommit.close();
    kernel.closeDependents();
    signOff();
    kernel.close();
    closePool.run();
  }

  /**
   * Gives up what this process holds. Other processes take over the rest when its lease is over, so
   * an unavailable database delays the end by {@link #PATIENCE} at most, however long its pool
   * waits for connections.
   */
  private void signOff() {
    Thread last = new Thread(this::giveUp, "rota-sign-off");
    last.setDaemon(true);
    last.start();
    if (!hasEnded(last)) {
      log.warn(
          "Rota could not sign off within {} s, and ends: other processes take over what this one"
              + " holds when its lease is over",
          PATIENCE.toSeconds());
    }
  }

  /** Waits for the end of a thread, even if the caller is interrupted. */
  private static boolean hasEnded(Thread thread) {
    boolean interrupted = false;
    long end = System.nanoTime() + PATIENCE.toNanos();
    for (long left = PATIENCE.toNanos(); left > 0; left = end - System.nanoTime()) {
      try {
        TimeUnit.NANOSECONDS.timedJoin(thread, left);
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return !thread.isAlive();
  }

  private void giveUp() {
    quietly("hand back its assignments", assignmentPools::handBack);
    quietly("give back leased payloads", features.payloads()::handBack);
    quietly("sign off", kernel.lease()::close);
  }

  private static void quietly(String what, Runnable action) {
    try {
      action.run();
    } catch (RuntimeException e) {
      log.warn("Rota could not {}: {}", what, e.getMessage());
    }
  }
}
