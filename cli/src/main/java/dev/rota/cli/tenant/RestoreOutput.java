package dev.rota.cli.tenant;

import dev.rota.transfer.RestoreAllReport;
import dev.rota.transfer.RestoreReport;
import java.util.List;
import java.util.Map;

/**
 * What a restored tenant is in JSON.
 *
 * @param tenant its name
 * @param number its number here
 * @param files how many files were noted
 * @param bytes their size
 * @param rows how many attempts they hold
 * @param known how many files were in the manifest already
 * @param problems those that were not restored
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
   * All of them.
   *
   * @param tenants each
   * @param problems those that were not restored at all
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
