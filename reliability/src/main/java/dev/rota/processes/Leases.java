package dev.rota.processes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.testing.TestDatabase;
import java.time.Duration;

/**
 * Leases that end when a test says so. One that is so short that a test can wait for its end also
 * ends for a process that lives, if the machine stands still for as long.
 */
final class Leases {

  /** Longer than any test. */
  static final Duration LONG = Duration.ofHours(1);

  static final String LONG_MILLIS = Long.toString(LONG.toMillis());

  private Leases() {}

  /** As if a process, which is dead or stopped, had been silent for longer than its lease. */
  static void end(TestDatabase database, JavaProcess process) throws Exception {
    assertThat(
            database.number(
                "with ended as (update rota.worker set heartbeat_at = now() - interval '1 hour',"
                    + " lease = interval '100 milliseconds' where host like '%/"
                    + process.pid()
                    + "' returning id) select count(*) from ended"))
        .as("leases of " + process)
        .isEqualTo(1);
  }
}
