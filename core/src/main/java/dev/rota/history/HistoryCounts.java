package dev.rota.history;

import dev.rota.Tenant;
import java.util.List;

/**
 * Counts of a tenant's history.
 *
 * @param counts one for each combination that occurs, in the order of hour, kind and state
 * @param archive which files of the archive were opened
 * @see Tenant#countHistory
 */
public record HistoryCounts(List<HistoryCount> counts, ArchiveUse archive) {

  /**
   * Copies the list.
   *
   * @param counts the counts
   * @param archive the use of the archive
   */
  public HistoryCounts {
    counts = List.copyOf(counts);
  }
}
