package dev.rota.cli.tenant;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.rota.transfer.RestoreAllReport;
import dev.rota.transfer.RestoreReport;
import dev.rota.transfer.TransferReport;
import java.util.List;

/**
 * A restored tenant in JSON.
 *
 * @param restored the tenant and its recorded files, each property beside the others
 * @param known how many files were already in the manifest
 * @param problems the files that were not restored
 */
record RestoreOutput(
    @JsonUnwrapped TransferReport restored, int known, List<RestoreReport.Problem> problems) {

  /**
   * All restored tenants.
   *
   * @param tenants each
   * @param problems the tenants that were not restored at all
   */
  record All(List<RestoreOutput> tenants, List<RestoreReport.Problem> problems) {}

  static RestoreOutput of(RestoreReport report) {
    return new RestoreOutput(report.restored(), report.known(), report.problems());
  }

  static All of(RestoreAllReport report) {
    return new All(report.tenants().stream().map(RestoreOutput::of).toList(), report.problems());
  }
}
