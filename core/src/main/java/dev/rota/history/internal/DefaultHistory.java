package dev.rota.history.internal;

import dev.rota.Attempt;
import dev.rota.TaskState;
import dev.rota.history.ArchiveUse;
import dev.rota.history.ErrorGroup;
import dev.rota.history.History;
import dev.rota.history.HistoryCounts;
import dev.rota.history.HistoryFilter;
import dev.rota.history.HistoryPage;
import dev.rota.history.HourlyStatistics;
import dev.rota.history.RecentAttempts;
import dev.rota.history.RetentionPolicy;
import dev.rota.internal.tenant.TenantRef;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** Default implementation of {@link History}; delegates each operation to its reader. */
public final class DefaultHistory implements History {

  private final HistoryScan.Sources sources;
  private final Supplier<TenantRef> tenant;

  /**
   * Creates the history of one tenant.
   *
   * @param tenant fetches the tenant at each use, so that the registry can notice that it may be
   *     stale
   */
  public DefaultHistory(HistoryScan.Sources sources, Supplier<TenantRef> tenant) {
    this.sources = sources;
    this.tenant = tenant;
  }

  @Override
  public HistoryPage page(HistoryFilter filter) {
    return new HistoryReader(sources, tenant.get()).page(filter);
  }

  @Override
  public RecentAttempts recent(HistoryFilter filter, Duration budget) {
    return new RecentReader(sources, tenant.get()).read(filter, budget);
  }

  @Override
  public HistoryCounts count(HistoryFilter filter, HistoryCounts.Dimension... by) {
    return new HistoryCounter(sources, tenant.get()).count(filter, Set.of(by));
  }

  @Override
  public List<Attempt> scanAttempts(long taskId) {
    return scanAttempts(taskId, HistoryScan.warning(tenant.get()));
  }

  @Override
  public List<Attempt> scanAttempts(long taskId, Consumer<ArchiveUse> archive) {
    return new AttemptReader(sources, tenant.get()).attempts(taskId, archive);
  }

  @Override
  public Map<TaskState, Long> scanStates() {
    return new AttemptReader(sources, tenant.get()).counts();
  }

  @Override
  public List<ErrorGroup> scanErrorGroups(HistoryFilter filter) {
    return scanErrorGroups(filter, HistoryScan.warning(tenant.get()));
  }

  @Override
  public List<ErrorGroup> scanErrorGroups(HistoryFilter filter, Consumer<ArchiveUse> archive) {
    return new ErrorGroupReader(sources, tenant.get()).read(filter, archive);
  }

  @Override
  public List<HourlyStatistics> statistics(Instant from, Instant to) {
    return new StatisticsReader(sources.database(), sources.tables(), tenant.get()).read(from, to);
  }

  @Override
  public RetentionPolicy retention() {
    return policies().read(tenant.get());
  }

  @Override
  public RetentionPolicy changeRetention(UnaryOperator<RetentionPolicy> change) {
    return policies().change(tenant.get(), change);
  }

  private RetentionPolicies policies() {
    return new RetentionPolicies(sources.database(), sources.tables());
  }
}
