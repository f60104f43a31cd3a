package dev.rota.transfer;

import java.util.List;

/**
 * The result of {@link TenantTransfer#restoreAll}. Immutable.
 *
 * @param tenants the result of each tenant, in the order of the numbers in the keys of their files
 * @param problems the tenants that were not restored at all, each with the prefix of the keys of
 *     its files
 */
public record RestoreAllReport(List<RestoreReport> tenants, List<RestoreReport.Problem> problems) {

  /**
   * Copies the lists.
   *
   * @param tenants the result of each tenant
   * @param problems the tenants that were not restored at all
   */
  public RestoreAllReport {
    tenants = List.copyOf(tenants);
    problems = List.copyOf(problems);
  }

  /**
   * Whether the manifest now has all files of all tenants in their present state.
   *
   * @return false if there were problems, with a tenant or with a file
   */
  public boolean complete() {
    return problems.isEmpty() && tenants.stream().allMatch(RestoreReport::complete);
  }
}
