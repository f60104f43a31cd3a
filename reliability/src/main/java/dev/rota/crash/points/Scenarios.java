package dev.rota.crash.points;

import java.util.List;
import java.util.stream.Stream;

/** All that users and daemons do. */
final class Scenarios {

  private Scenarios() {}

  static List<CrashScenario> all() {
    return Stream.of(
            EnqueueScenarios.all(),
            ClaimScenarios.all(),
            KeyScenarios.all(),
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
