package dev.rota.history;

import dev.rota.Attempt;
import java.util.List;
import java.util.Optional;

/**
 * Some attempts of a tenant, newest first.
 *
 * @param attempts the attempts, at most as many as the filter's limit
 * @param nextCursor the argument of {@link HistoryFilter#after(String)} for the next page; empty on
 *     the last page
 * @param archive the archive files that were read for this page, and those that were not available
 */
public record HistoryPage(List<Attempt> attempts, Optional<String> nextCursor, ArchiveUse archive) {

  /**
   * Copies the list.
   *
   * @param attempts the attempts
   * @param nextCursor the cursor of the next page
   * @param archive the use of the archive
   */
  public HistoryPage {
    attempts = List.copyOf(attempts);
  }
}
