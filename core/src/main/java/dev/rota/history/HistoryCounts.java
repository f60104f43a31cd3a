package dev.rota.history;

import dev.rota.TaskState;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Counts of a tenant's history.
 *
 * @param counts one for each combination that occurs, in the order of hour, kind and state
 * @param archive the archive files that were read, and those that were not available
 * @see History#count
 */
public record HistoryCounts(List<Count> counts, ArchiveUse archive) {

  /**
   * Copies the list.
   *
   * @param counts the counts
   * @param archive the use of the archive
   */
  public HistoryCounts {
    counts = List.copyOf(counts);
  }

  /**
   * The number of attempts of one combination of hour, kind and state.
   *
   * @param hour the beginning of the hour in which their tasks were enqueued; empty if not grouped
   *     by hour
   * @param kind the kind of their tasks; empty if not grouped by kind
   * @param state their state; empty if not grouped by state
   * @param attempts how many there are
   * @see History#count
   */
  public record Count(
      Optional<Instant> hour, Optional<String> kind, Optional<TaskState> state, long attempts) {}

  /** The dimensions by which {@link History#count} groups attempts. */
  public enum Dimension {
    /** The hour in which the task was enqueued, in UTC by the clock of the database. */
    HOUR,
    /** The kind of the task. */
    KIND,
    /** The state of the attempt. */
    STATE
  }
}
