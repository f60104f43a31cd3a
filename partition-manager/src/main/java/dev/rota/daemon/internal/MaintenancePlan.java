package dev.rota.daemon.internal;

import dev.rota.daemon.internal.leader.DaemonConfig;
import dev.rota.daemon.internal.leader.DaemonCounters;
import dev.rota.daemon.internal.leader.LeaderSession;
import dev.rota.daemon.internal.leader.MaintenanceTask;
import dev.rota.daemon.internal.leader.TenantCatalog;
import dev.rota.daemon.internal.maintenance.AssignmentMaintenance;
import dev.rota.daemon.internal.maintenance.DelayedTaskPromoter;
import dev.rota.daemon.internal.maintenance.DueTimes;
import dev.rota.daemon.internal.maintenance.GraphMaintenance;
import dev.rota.daemon.internal.maintenance.KeyMaintenance;
import dev.rota.daemon.internal.maintenance.Reaper;
import dev.rota.daemon.internal.maintenance.RegistryPruner;
import dev.rota.daemon.internal.maintenance.ScheduleMaintenance;
import dev.rota.daemon.internal.retention.HistoryRetention;
import dev.rota.daemon.internal.retention.LedgerRoller;
import dev.rota.daemon.internal.retention.SegmentRoller;
import dev.rota.daemon.internal.rotation.RingSurvey;
import dev.rota.daemon.internal.rotation.RotationTask;
import dev.rota.daemon.internal.rotation.StrandedTaskMover;
import dev.rota.daemon.internal.rotation.XidAgeMonitor;
import dev.rota.internal.Features;
import dev.rota.internal.Kernel;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.tenant.TenantRegistry;
import java.sql.SQLException;
import java.util.List;

/** What a leader does, and what it knows as long as it leads. Used by one thread. */
final class MaintenancePlan {

  private final TenantCatalog book;
  private final List<MaintenanceTask> duties;

  MaintenancePlan(
      LeaderSession mandate,
      Kernel kernel,
      Features features,
      DaemonConfig settings,
      DaemonCounters tally) {
    this.book = new TenantCatalog(mandate, kernel.registry(), kernel.tables());
    this.duties = duties(mandate, kernel, features, settings, tally);
  }

  /** Looks at all tenants. */
  void begin() throws SQLException {
    book.reload();
  }

  /** In the order of their urgency. */
  List<MaintenanceTask> duties() {
    return duties;
  }

  private List<MaintenanceTask> duties(
      LeaderSession mandate,
      Kernel kernel,
      Features features,
      DaemonConfig settings,
      DaemonCounters tally) {
    RegistryTables tables = kernel.tables();
    TenantRegistry registry = kernel.registry();
    XidAgeMonitor ages = new XidAgeMonitor(mandate, book);
    StrandedTaskMover carryOver =
        new StrandedTaskMover(mandate, kernel.settings().lockNamespace(), settings);
    RotationTask rotator =
        new RotationTask(
            mandate, registry, settings, tally, new RotationTask.Helpers(ages, carryOver));
    SegmentRoller segments = new SegmentRoller(mandate, registry, settings, tally);
    return List.of(
        new DelayedTaskPromoter(
            mandate,
            new DueTimes(book),
            new DelayedTaskPromoter.Parts(kernel.oddRows(), kernel.doorbell()),
            settings.tick(),
            tally),
        new ScheduleMaintenance(mandate, features.scheduleRunner(), kernel.doorbell()),
        new Reaper(
            mandate,
            new Reaper.Parts(registry, kernel.batchReturn(), kernel.doorbell()),
            settings.tick(),
            tally),
        new AssignmentMaintenance(mandate, registry, settings),
        new GraphMaintenance(mandate, registry, features.nodeSpread(), settings),
        book,
        new RingSurvey(mandate, tables, book, settings, List.of(rotator, segments)),
        rotator,
        segments,
        new LedgerRoller(mandate, tables, settings, tally),
        new HistoryRetention(mandate, tables, book, settings, tally),
        ages,
        new KeyMaintenance(mandate, book, tables, settings),
        new RegistryPruner(mandate, tables, settings));
  }
}
