package dev.rota.internal;

import dev.rota.control.internal.CancelPoll;
import dev.rota.control.internal.CancelRequests;
import dev.rota.graph.internal.GraphDdl;
import dev.rota.graph.internal.SkipPropagator;
import dev.rota.internal.key.KeyExtension;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.schema.TenantDdl;
import dev.rota.internal.settle.TaskExtension;
import dev.rota.internal.sql.TenantTables;
import dev.rota.internal.tenant.LazyTables;
import dev.rota.schedule.internal.ScheduleRunner;
import java.util.List;

/** The features of one Rota: the one place that lists how they extend the kernel. Thread-safe. */
public final class Features {

  private final Kernel.Base base;
  private final LazyTables keyTables;
  private final LazyTables graphTables;
  private final SkipPropagator nodeSpread;
  private final List<TaskExtension> extensions;

  Features(Kernel.Base base) {
    this.base = base;
    RegistryTables tables = base.settings.tables();
    this.keyTables =
        new LazyTables(base.database, tables, "keys", TenantTables::keys, TenantDdl::createKeys);
    this.graphTables =
        new LazyTables(base.database, tables, "graphs", TenantTables::spread, GraphDdl::create);
    this.nodeSpread =
        new SkipPropagator(
            base.database, base.background, graphTables, base.registry, base.doorbell);
    // In this order in all transactions, or two of them could wait for each other.
    this.extensions =
        List.of(
            new KeyExtension(keyTables, base.doorbell),
            nodeSpread.extension(),
            new CancelRequests(tables, new CancelPoll(base.database, tables)));
  }

  /** Their parts in the life of tasks, in the order in which the kernel calls them. */
  List<TaskExtension> extensions() {
    return extensions;
  }

  LazyTables keyTables() {
    return keyTables;
  }

  LazyTables graphTables() {
    return graphTables;
  }

  public SkipPropagator nodeSpread() {
    return nodeSpread;
  }

  /** Enqueues what schedules bring. */
  public ScheduleRunner scheduleRunner() {
    return new ScheduleRunner(base.registry, base.taskIds);
  }
}
