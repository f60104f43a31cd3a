package dev.rota.history;

import dev.rota.TaskState;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Counts of a tenant's history.
 *
 * @param counts one for each combination that occurs, in the order of hour, kind and state
 * @param archive which files of the archive were opened
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
   * How many attempts of a tenant have something in common.
   *
   * @param hour the beginning of the hour in which their tasks were enqueued; empty if not asked
   *     for
   * @param kind the kind of their tasks; empty if not asked for
   * @param state their state; empty if not asked for
   * @param attempts how many there are
   * @see History#count
   */
  public record Count(
      Optional<Instant> hour, Optional<String> kind, Optional<TaskState> state, long attempts) {}

  /** What {@link History#count} can tell attempts apart by. */
  public enum Dimension {
    /** The hour in which the task was enqueued, in UTC by the clock of the database. */
    HOUR,
    /** The kind of the task. */
    KIND,
    /** The state of the attempt. */
    STATE
  }
}
