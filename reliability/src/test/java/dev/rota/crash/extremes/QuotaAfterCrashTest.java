package dev.rota.crash.extremes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.RotaException;
import dev.rota.Tenant;
import dev.rota.crash.CrashTest;
import dev.rota.crash.server.ControlledServer;
import dev.rota.daemon.RotationDaemon;
import dev.rota.limits.QuotaExceededException;
import dev.rota.limits.Scope;
import dev.rota.testing.Await;
import java.time.Duration;
import java.util.Collections;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that a quota holds again after the server was killed and lost its counters. */
@CrashTest
class QuotaAfterCrashTest {

  private static final int QUOTA = 1_000;

  @ParameterizedTest
  @ValueSource(ints = {15, 18})
  void theTasksAreCountedAfterAKill(int major) throws Exception {
    try (ControlledServer server = ControlledServer.start(major);
        Rota rota = Rota.connect(server.jdbcUrl())) {
      rota.admin().migrate();
      Tenant acme = rota.tenants().register("acme");
      rota.controls().changeLimits(Scope.tenant("acme"), limits -> limits.maxPending(QUOTA));
      acme.enqueueAll(Collections.nCopies(QUOTA, NewTask.of("k", "{}")));
      try (RotationDaemon daemon =
          RotationDaemon.builder(rota).tick(Duration.ofMillis(50)).start()) {
        server.kill();
        server.restart();
        Await.until("a task is refused", () -> used(acme) > 0);
      }
      assertThat(used(acme)).isEqualTo(server.number("select count(*) from rota_1.task_init_1"));
    }
  }

  /** What the refusal of a task says; 0 if it is not refused by the quota. */
  private static long used(Tenant tenant) {
    try {
      tenant.enqueue(NewTask.of("k", "{}"));
      return 0;
    } catch (QuotaExceededException e) {
      return e.used();
    } catch (RotaException e) {
      return 0;
    }
  }
}
