package dev.rota.history;

import dev.rota.Attempt;
import dev.rota.DatabaseException;
import dev.rota.TaskState;
import dev.rota.Tenant;
import dev.rota.UnknownTenantException;
import dev.rota.Worker;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * The history of one tenant, and its retention policy. Thread-safe.
 *
 * @see Tenant#history()
 */
public interface History {

  /**
   * Reads a page of the tenant's history, newest first: first the rows in the database, then
   * archived ones. It opens only archive files that may hold matching rows, and no more of them
   * than the page needs.
   *
   * @param filter the conditions and the size of the page
   * @return the page
   * @throws IllegalArgumentException if the cursor did not come from a page
   * @throws ArchiveException if a file of the archive cannot be read
   */
  HistoryPage page(HistoryFilter filter);

  /**
   * Looks for attempts from the end of history backwards, for as long as a budget allows. A page of
   * a large history costs as much as that of a small one. Attempts are in the order in which they
   * were last written, at their claim or at an outcome other than done. Archived files follow those
   * in the database, one in each look.
   *
   * <p>An attempt that gets its outcome between two looks may be in both, or in none. Use {@link
   * #page} to read everything once.
   *
   * @param filter the conditions, the number of attempts, and the cursor of the look before
   * @param budget how long to look into the database, from a millisecond to a minute; at least one
   *     step of about 20 ms is done
   * @return the attempts found, and how far it looked
   * @throws IllegalArgumentException if the budget is out of its bounds, or the cursor did not come
   *     from a look, or is of a segment that was rewritten since, as by VACUUM FULL
   * @throws ArchiveException if a file of the archive cannot be read
   */
  RecentAttempts recent(HistoryFilter filter, Duration budget);

  /**
   * Counts the attempts of the tenant's history, archived ones included.
   *
   * @param filter the attempts to count; its limit is ignored
   * @param by the dimensions to group by; none for one sum
   * @return the counts
   * @throws IllegalArgumentException if the filter has a cursor: counts have no pages
   * @throws ArchiveException if a file of the archive cannot be read
   */
  HistoryCounts count(HistoryFilter filter, HistoryCounts.Dimension... by);

  /**
   * Reads all attempts of one task, and its pending or waiting one. Scans the tenant's tables,
   * which have no index on the id, and the archive files that may hold the task. Use it for
   * support, not on a hot path.
   *
   * @param taskId the id of the task
   * @param archive called once, with the archive files that were read and those that were not
   *     available
   * @return the attempts in the order in which they ended, then the running or the next one; empty
   *     if the task is unknown
   */
  List<Attempt> scanAttempts(long taskId, Consumer<ArchiveUse> archive);

  /**
   * Like the overload above, but logs a warning when archived segments are skipped because no
   * archive is configured.
   *
   * @param taskId the id of the task
   * @return the attempts, as {@link #scanAttempts(long, Consumer)} returns them
   */
  List<Attempt> scanAttempts(long taskId);

  /**
   * Counts the attempts in each state. Reads the rows of all tables of the tenant; archived rows
   * are not included, see {@link #count}.
   *
   * @return the count for every state, zero included
   */
  Map<TaskState, Long> scanStates();

  /**
   * Groups this tenant's attempts by error text, the most frequent first. Scans the tenant's
   * history, archived files included.
   *
   * @param filter the attempts to count, and by {@link HistoryFilter#limit(int)} the maximal number
   *     of groups; attempts without an error text never count
   * @param archive called once, with the archive files that were read and those that were not
   *     available
   * @return the groups
   * @throws IllegalArgumentException if the filter has a cursor: groups have no pages
   * @throws ArchiveException if a file of the archive cannot be read
   */
  List<ErrorGroup> scanErrorGroups(HistoryFilter filter, Consumer<ArchiveUse> archive);

  /**
   * Like the overload above, but logs a warning when archived segments are skipped because no
   * archive is configured.
   *
   * @param filter the attempts to count
   * @return the groups, as {@link #scanErrorGroups(HistoryFilter, Consumer)} returns them
   * @throws IllegalArgumentException if the filter has a cursor: groups have no pages
   * @throws ArchiveException if a file of the archive cannot be read
   */
  List<ErrorGroup> scanErrorGroups(HistoryFilter filter);

  /**
   * Reads how many attempts ended in each hour and how long they took, as counted by workers with
   * {@link Worker.Builder#hourlyStatistics}. Reads one row for each hour and kind, by an index. The
   * last seconds may be missing.
   *
   * @param from hours that end after this time; by the clock of the database
   * @param to hours that begin before this time
   * @return the hours with ended attempts, in order, and by kind within one
   * @throws IllegalArgumentException if {@code to} is before {@code from}
   * @throws DatabaseException if the database refused the query
   */
  List<HourlyStatistics> statistics(Instant from, Instant to);

  /**
   * Reads the settings of this tenant that replace the daemon's.
   *
   * @return the policy, as now stored in the database
   * @throws UnknownTenantException if the tenant is no longer in the registry
   */
  RetentionPolicy retention();

  /**
   * Changes the settings of this tenant that replace the daemon's. Concurrent changes are
   * serialized, so none is lost. The daemon applies them from its next poll, within a minute.
   *
   * @param change computes the new policy from the present one; it runs within a transaction, so it
   *     should only calculate
   * @return the new policy
   * @throws UnknownTenantException if the tenant is no longer in the registry
   */
  RetentionPolicy changeRetention(UnaryOperator<RetentionPolicy> change);
}
