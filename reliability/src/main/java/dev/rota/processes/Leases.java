package dev.rota.processes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.testing.TestDatabase;
import java.time.Duration;

/**
 * Ends leases on request of a test. A lease so short that a test can wait for its end also ends for
 * a live process, if the machine stalls for as long.
 */
final class Leases {

  /** A lease longer than any test. */
  static final Duration LONG = Duration.ofHours(1);

  static final String LONG_MILLIS = Long.toString(LONG.toMillis());

  private Leases() {}

  /** Ends the lease of a dead or stopped process, as if it had been silent for longer. */
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
