package dev.rota.crash.points;

import java.util.List;
import java.util.stream.Stream;

/** All operations of users and daemons. */
final class Scenarios {

  private Scenarios() {}

  static List<CrashScenario> all() {
    return Stream.of(
            EnqueueScenarios.all(),
            ClaimScenarios.all(),
            KeyScenarios.all(),
            RuleScenarios.all(),
            MigrationScenarios.all(),
            TenantScenarios.all(),
            DaemonScenarios.all(),
            UpkeepScenarios.all(),
            HistoryScenarios.all(),
            WorkerScenarios.all(),
            TransferScenarios.all())
        .flatMap(List::stream)
        .toList();
  }
}
