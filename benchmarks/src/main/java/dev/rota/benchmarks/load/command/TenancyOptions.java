package dev.rota.benchmarks.load.command;

import static dev.rota.benchmarks.load.command.Ranges.within;

import dev.rota.benchmarks.load.LoadSettings;
import java.util.List;
import picocli.CommandLine.Option;

/** The options of the tenants. */
final class TenancyOptions {

  private static final int MOST_TENANTS = 100_000;

  @Option(
      names = "--tenants",
      paramLabel = "N",
      defaultValue = "100",
      description = "Over how many tenants; ${DEFAULT-VALUE} by default.")
  private int tenants;

  @Option(
      names = "--tenant-curve",
      paramLabel = "N",
      split = ",",
      description =
          "One run of the same load for each of these numbers of tenants, such as"
              + " 1,10,100,1000,10000.")
  private List<Integer> curve = List.of();

  @Option(
      names = "--skew",
      paramLabel = "S",
      defaultValue = "0",
      description =
          "How unevenly tasks spread over tenants: the exponent of a Zipf distribution;"
              + " ${DEFAULT-VALUE}, even, by default.")
  private double skew;

  LoadSettings.Tenancy first() {
    return new LoadSettings.Tenancy(counts().get(0), within("--skew", skew, 0.0, 5.0));
  }

  /** The number of tenants of each run. */
  List<Integer> counts() {
    within("--tenants", tenants, 1, MOST_TENANTS);
    for (int count : curve) {
      within("--tenant-curve", count, 1, MOST_TENANTS);
    }
    return curve.isEmpty() ? List.of(tenants) : curve;
  }
}
