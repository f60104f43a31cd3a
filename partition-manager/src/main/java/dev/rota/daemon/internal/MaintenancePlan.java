package dev.rota.daemon.internal;

import dev.rota.daemon.internal.leader.DaemonConfig;
import dev.rota.daemon.internal.leader.DaemonCounters;
import dev.rota.daemon.internal.leader.LeaderSession;
import dev.rota.daemon.internal.leader.TenantCatalog;
import dev.rota.daemon.internal.maintenance.DelayedTaskPromoter;
import dev.rota.daemon.internal.maintenance.DueTimes;
import dev.rota.daemon.internal.maintenance.Reaper;
import dev.rota.daemon.internal.maintenance.RegistryPruner;
import dev.rota.daemon.internal.parking.TenantParker;
import dev.rota.daemon.internal.retention.HistoryRetention;
import dev.rota.daemon.internal.retention.LedgerRoller;
import dev.rota.daemon.internal.retention.SegmentIndexer;
import dev.rota.daemon.internal.retention.SegmentRoller;
import dev.rota.daemon.internal.rotation.RingSurvey;
import dev.rota.daemon.internal.rotation.RingSurvey.RingId;
import dev.rota.daemon.internal.rotation.RotationTask;
import dev.rota.daemon.internal.rotation.StrandedTaskMover;
import dev.rota.daemon.internal.rotation.XidAgeMonitor;
import dev.rota.internal.Features;
import dev.rota.internal.Kernel;
import dev.rota.internal.maintenance.ClockGuard;
import dev.rota.internal.maintenance.MaintenanceTask;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.tenant.TenantRef;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What a leader does, and what it knows as long as it leads: the tasks of the daemon itself, and
 * between them those of features. Used by one thread.
 */
final class MaintenancePlan {

  private final LeaderSession leader;
  private final Kernel kernel;
  private final DaemonConfig config;
  private final DaemonCounters counters;
  private final TenantCatalog tenants;
  private final ClockGuard clock;
  private final List<MaintenanceTask> enqueuingFeatures;
  private final List<MaintenanceTask> otherFeatures;

  MaintenancePlan(
      LeaderSession leader,
      Kernel kernel,
      Features features,
      DaemonConfig config,
      DaemonCounters counters) {
    this(
        leader,
        new TenantCatalog(leader, kernel.registry(), kernel.tables()),
        new Served(kernel, features),
        config,
        counters);
  }

  /** The parts of the Rota that it serves. */
  record Served(Kernel kernel, Features features) {}

  /** Creates a plan for the tenants of a catalog. */
  MaintenancePlan(
      LeaderSession leader,
      TenantCatalog tenants,
      Served served,
      DaemonConfig config,
      DaemonCounters counters) {
    this.leader = leader;
    this.kernel = served.kernel;
    this.config = config;
    this.counters = counters;
    this.tenants = tenants;
    this.clock = new ClockGuard(kernel.settings().timing().nanoTime(), config.pace().clockTrial());
    Features.Leader reign =
        new Features.Leader(
            leader, tenants::tenants, config.pace().tick(), config.retention().graphs(), clock);
    this.enqueuingFeatures = served.features.enqueuing(reign);
    this.otherFeatures = served.features.otherMaintenance(reign);
  }

  /** Reads all tenants, and returns the tasks in the order of their urgency. */
  List<MaintenanceTask> begin() throws SQLException {
    tenants.reload();
    return Stream.of(movingTasks(), enqueuingFeatures, otherFeatures, turningTables())
        .flatMap(List::stream)
        .toList();
  }

  /** Reads all tenants, and returns the tasks that enqueue what is due. */
  List<MaintenanceTask> beginEnqueuing() throws SQLException {
    tenants.reload();
    return Stream.of(List.of(promoter()), enqueuingFeatures).flatMap(List::stream).toList();
  }

  /** Reads all tenants, and returns the task that moves delayed ones. */
  MaintenanceTask beginPromoting() throws SQLException {
    tenants.reload();
    return promoter();
  }

  /** The tenants that were read, by ascending number. */
  List<TenantRef> tenants() {
    return tenants.tenants();
  }

  private MaintenanceTask promoter() {
    return new DelayedTaskPromoter(
        leader,
        new DueTimes(tenants, kernel.rules()),
        new DelayedTaskPromoter.Parts(kernel.invalidRows(), kernel.doorbell()),
        config.pace().tick(),
        counters);
  }

  private List<MaintenanceTask> movingTasks() {
    return List.of(
        promoter(),
        new Reaper(
            leader,
            new Reaper.Parts(kernel.registry(), kernel.batchReturn(), kernel.doorbell()),
            config.pace().tick(),
            counters));
  }

  private List<MaintenanceTask> turningTables() {
    RegistryTables tables = kernel.tables();
    Set<RingId> aged = new HashSet<>();
    StrandedTaskMover strandedTasks =
        new StrandedTaskMover(leader, kernel.settings().lockNamespace(), config);
    RotationTask rotation =
        new RotationTask(
            leader,
            tables,
            config,
            counters,
            new RotationTask.Helpers(aged, strandedTasks, kernel.rules().present()));
    SegmentRoller segments = new SegmentRoller(leader, tables, config, counters);
    List<MaintenanceTask> tasks = new ArrayList<>();
    Collections.addAll(
        tasks,
        tenants,
        new RingSurvey(leader, tables, tenants, config, List.of(rotation.due(), segments.due())),
        rotation,
        segments,
        new LedgerRoller(leader, tables, config, counters, clock),
        new HistoryRetention(
            leader, tables, new HistoryRetention.Parts(tenants, clock), config, counters),
        new SegmentIndexer(leader, tables, tenants, config),
        new XidAgeMonitor(leader, tenants, aged),
        new RegistryPruner(leader, tables, config, clock));
    if (config.rotation().parking().isOn()) {
      tasks.add(
          new TenantParker(leader, tenants, kernel.settings().lockNamespace(), config, counters));
    }
    return tasks;
  }
}
