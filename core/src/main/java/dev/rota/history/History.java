package dev.rota.history;

import dev.rota.Attempt;
import dev.rota.DatabaseException;
import dev.rota.TaskState;
import dev.rota.Tenant;
import dev.rota.UnknownTenantException;
import dev.rota.Worker;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * The history of one tenant, and how long it is kept. Thread-safe.
 *
 * @see Tenant#history()
 */
public interface History {

  /**
   * A page of the tenant's history, newest first: what stands in the database, and behind it what
   * was archived. Of the archive only those files are opened that may hold something of what is
   * asked for, and not more of them than the page needs.
   *
   * @param filter what to return
   * @return the page
   * @throws IllegalArgumentException if the cursor is not one that a page returned
   * @throws ArchiveException if a file of the archive cannot be read
   */
  HistoryPage page(HistoryFilter filter);

  /**
   * Counts the attempts of the tenant's history, archived ones included.
   *
   * @param filter which attempts count; its limit means nothing here
   * @param by what to tell them apart by; none for one sum
   * @return the counts
   * @throws IllegalArgumentException if the filter has a cursor: counts have no pages
   * @throws ArchiveException if a file of the archive cannot be read
   */
  HistoryCounts count(HistoryFilter filter, HistoryCounts.Dimension... by);

  /**
   * Everything known of one task: each attempt, and the pending or waiting one if there is one.
   * Scans the tenant's tables, which have no index on the id, and the files of the archive that may
   * hold it: for support, not for a hot path.
   *
   * @param taskId the id of the task
   * @param archive called once, with the archive files that were read and those that were not
   *     available
   * @return the attempts in the order in which they ended, then the one that runs, or the next one;
   *     empty if the task is unknown
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
   * How many attempts stand in each state. Counts the rows of all tables of the tenant; those that
   * were archived are not in them, see {@link #count}.
   *
   * @return the count for every state, zero included
   */
  Map<TaskState, Long> scanStates();

  /**
   * The error texts of this tenant's attempts, each with how often it occurred, the most frequent
   * first. Scans the tenant's history, archived files included.
   *
   * @param filter which attempts count, and with {@link HistoryFilter#limit(int)} how many groups
   *     are returned; attempts without an error text never count
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
   * @param filter which attempts count
   * @return the groups, as {@link #scanErrorGroups(HistoryFilter, Consumer)} returns them
   * @throws IllegalArgumentException if the filter has a cursor: groups have no pages
   * @throws ArchiveException if a file of the archive cannot be read
   */
  List<ErrorGroup> scanErrorGroups(HistoryFilter filter);

  /**
   * How many attempts ended in each hour, and how long they took: what workers with {@link
   * Worker.Builder#hourlyStatistics} have added up. Reads one row for each hour and kind, by an
   * index. The last seconds may be missing.
   *
   * @param from hours that end after this time; by the clock of the database
   * @param to hours that begin before this time
   * @return the hours that have any, in order, and by kind within one
   * @throws IllegalArgumentException if {@code to} is before {@code from}
   * @throws DatabaseException if the database refused
   */
  List<HourlyStatistics> statistics(Instant from, Instant to);

  /**
   * What holds for this tenant instead of what holds for all.
   *
   * @return the policy, as the database has it now
   * @throws UnknownTenantException if the tenant is not in the registry any more
   */
  RetentionPolicy retention();

  /**
   * Changes what holds for this tenant. Changes by several callers follow each other, so none is
   * lost. The daemon obeys from its next look on, within a minute.
   *
   * @param change makes the new policy out of the present one; run within a transaction, so it
   *     should only calculate
   * @return the new policy
   * @throws UnknownTenantException if the tenant is not in the registry any more
   */
  RetentionPolicy changeRetention(UnaryOperator<RetentionPolicy> change);
}
