package dev.rota.internal;

import dev.rota.assignment.internal.AssignmentMaintenance;
import dev.rota.audit.internal.AuditMaintenance;
import dev.rota.control.internal.CancelPoll;
import dev.rota.control.internal.CancelRequests;
import dev.rota.graph.internal.GraphDdl;
import dev.rota.graph.internal.GraphMaintenance;
import dev.rota.graph.internal.SkipPropagator;
import dev.rota.internal.key.KeyExtension;
import dev.rota.internal.key.KeyMaintenance;
import dev.rota.internal.maintenance.ClockGuard;
import dev.rota.internal.maintenance.LeaderTransactions;
import dev.rota.internal.maintenance.MaintenanceTask;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.schema.TenantDdl;
import dev.rota.internal.settle.TaskExtension;
import dev.rota.internal.sql.TenantTables;
import dev.rota.internal.tenant.LazyTables;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.limits.internal.RuleWatch;
import dev.rota.limits.internal.quota.PayloadQuotas;
import dev.rota.limits.internal.quota.PendingQuotas;
import dev.rota.limits.internal.quota.QuotaMaintenance;
import dev.rota.metering.internal.UsageMaintenance;
import dev.rota.schedule.internal.ScheduleMaintenance;
import dev.rota.schedule.internal.ScheduleReplanner;
import dev.rota.schedule.internal.ScheduleRunner;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/**
 * The features of one Rota: the one place that lists how they extend the kernel and the leading
 * daemon. Thread-safe.
 */
public final class Features {

  private final Kernel.Base base;
  private final LazyTables keyTables;
  private final LazyTables graphTables;
  private final SkipPropagator skips;
  private final List<TaskExtension> extensions;
  private final RuleWatch rules;
  private final PayloadQuotas payloads;

  /**
   * What the leading daemon gives to the tasks of features.
   *
   * @param tenants the tenants that it knows, by ascending number
   * @param tick how often it looks for what is due
   * @param keepGraphs for how long the progress of a finished graph can be read
   * @param clock protects what tasks of features delete by its age
   */
  public record Leader(
      LeaderTransactions transactions,
      Supplier<List<TenantRef>> tenants,
      Duration tick,
      Duration keepGraphs,
      ClockGuard clock) {}

  Features(Kernel.Base base) {
    this.base = base;
    RegistryTables tables = base.settings.tables();
    this.keyTables =
        new LazyTables(base.tablesOnDemand, "keys", TenantTables::keys, TenantDdl::createKeys);
    this.graphTables =
        new LazyTables(base.tablesOnDemand, "graphs", TenantTables::spread, GraphDdl::create);
    this.skips =
        new SkipPropagator(
            base.database, base.background, graphTables, base.registry, base.doorbell);
    this.rules =
        new RuleWatch(base.database, tables, base.background, base.settings.timing().nanoTime());
    base.registry.onEnqueue(new PendingQuotas(tables, base.settings.timing().nanoTime()));
    this.payloads = new PayloadQuotas(base.database, tables, base.settings.timing().nanoTime());
    base.registry.onPayload(payloads);
    // All transactions use this order, or two of them could wait for each other.
    this.extensions =
        List.of(
            new KeyExtension(keyTables, base.doorbell),
            skips.extension(),
            new CancelRequests(tables, new CancelPoll(base.database, tables)));
  }

  /** The rules of scopes. */
  RuleWatch rules() {
    return rules;
  }

  /** The quotas of payloads. */
  PayloadQuotas payloads() {
    return payloads;
  }

  /** The extensions of the features, in the order in which the kernel calls them. */
  List<TaskExtension> extensions() {
    return extensions;
  }

  /** Their work for a daemon that begins to lead by which tasks become pending. */
  public List<MaintenanceTask> enqueuing(Leader leader) {
    LeaderTransactions transactions = leader.transactions;
    return List.of(
        new ScheduleMaintenance(
            transactions,
            scheduleRunner(),
            new ScheduleReplanner(
                transactions, base.settings.tables(), base.settings.timing().nanoTime()),
            base.doorbell),
        new GraphMaintenance(transactions, base.registry, skips, leader.tick, leader.keepGraphs));
  }

  /** Their other work for a daemon that begins to lead, the most urgent first. */
  public List<MaintenanceTask> otherMaintenance(Leader leader) {
    LeaderTransactions transactions = leader.transactions;
    return List.of(
        new AssignmentMaintenance(transactions, base.registry, leader.tick),
        new KeyMaintenance(transactions, leader.tenants, base.settings.tables(), leader.tick),
        new UsageMaintenance(transactions, leader.tenants, base.settings.tables(), leader.tick),
        new QuotaMaintenance(transactions, base.settings.tables(), leader.tick),
        new AuditMaintenance(transactions, base.settings.tables(), leader.clock));
  }

  LazyTables keyTables() {
    return keyTables;
  }

  LazyTables graphTables() {
    return graphTables;
  }

  SkipPropagator nodeSpread() {
    return skips;
  }

  /** Enqueues the tasks of schedules that are due. */
  public ScheduleRunner scheduleRunner() {
    return new ScheduleRunner(base.registry, base.taskIds);
  }
}
