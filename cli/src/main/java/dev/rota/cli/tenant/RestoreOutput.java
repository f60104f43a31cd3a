package dev.rota.cli.tenant;

import dev.rota.transfer.RestoreAllReport;
import dev.rota.transfer.RestoreReport;
import java.util.List;
import java.util.Map;

/**
 * A restored tenant in JSON.
 *
 * @param tenant its name
 * @param number its number here
 * @param files how many files were recorded
 * @param bytes their size
 * @param rows the number of their attempts
 * @param known how many files were already in the manifest
 * @param problems the files that were not restored
 */
record RestoreOutput(
    String tenant,
    int number,
    int files,
    long bytes,
    Map<String, Long> rows,
    int known,
    List<RestoreReport.Problem> problems) {

  /**
   * All restored tenants.
   *
   * @param tenants each
   * @param problems the tenants that were not restored at all
   */
  record All(List<RestoreOutput> tenants, List<RestoreReport.Problem> problems) {}

  static RestoreOutput of(RestoreReport report) {
    return new RestoreOutput(
        report.restored().tenant(),
        report.restored().number(),
        report.restored().files(),
        report.restored().bytes(),
        report.restored().rows(),
        report.known(),
        report.problems());
  }

  static All of(RestoreAllReport report) {
    return new All(report.tenants().stream().map(RestoreOutput::of).toList(), report.problems());
  }
}
