package dev.rota.transfer;

import java.util.List;

/**
 * The result of {@link TenantTransfer#restoreTenant}. Immutable.
 *
 * @param restored the tenant here, and the files that this call has recorded, with their attempts
 *     as {@code archived}. In a dry run those that it would have recorded
 * @param known how many files were already in the manifest
 * @param problems the files that were not restored
 */
public record RestoreReport(TransferReport restored, int known, List<Problem> problems) {

  /**
   * Copies the list.
   *
   * @param restored the restored tenant and files
   * @param known how many files were already in the manifest
   * @param problems the files that were not restored
   */
  public RestoreReport {
    problems = List.copyOf(problems);
  }

  /**
   * A file that was left as it is.
   *
   * @param key its key in the archive
   * @param reason the problem, and the remedy
   */
  public record Problem(String key, String reason) {}

  /**
   * Whether the manifest now has all files of the tenant in their present state.
   *
   * @return false if there were problems
   */
  public boolean complete() {
    return problems.isEmpty();
  }
}
