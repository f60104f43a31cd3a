package dev.rota.transfer;

import java.util.List;

/**
 * What came of {@link TenantTransfer#restoreTenant}. Immutable.
 *
 * @param restored the tenant here, and the files that this call has noted, with their attempts as
 *     {@code archived}; in a dry run those that it would have noted
 * @param known how many files were in the manifest already
 * @param problems the files that were not restored
 */
public record RestoreReport(TransferReport restored, int known, List<Problem> problems) {

  /**
   * Copies the list.
   *
   * @param restored what was restored
   * @param known how many files were in the manifest already
   * @param problems the files that were not restored
   */
  public RestoreReport {
    problems = List.copyOf(problems);
  }

  /**
   * A file that was left as it is.
   *
   * @param key its key in the archive
   * @param reason what is wrong with it, and what to do
   */
  public record Problem(String key, String reason) {}

  /**
   * Whether the manifest has all files of the tenant now, as they are.
   *
   * @return false if there were problems
   */
  public boolean complete() {
    return problems.isEmpty();
  }
}
