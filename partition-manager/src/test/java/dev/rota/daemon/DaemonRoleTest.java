package dev.rota.daemon;

import static dev.rota.daemon.DaemonFixture.tasks;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.testing.Await;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests a daemon and a worker that have only the rights of their roles: a tenant runs over
 * rotations, new segments and dropped ones.
 */
@Tag("exhaustive")
class DaemonRoleTest {

  @ParameterizedTest
  @ValueSource(ints = {15, 18})
  void daemonAndApplicationNeedNoMoreThanTheirRoles(int major) throws Exception {
    try (RoleLogins logins = RoleLogins.onVersion(major)) {
      try (Rota rota = Rota.connect(logins.database().jdbcUrl())) {
        rota.tenants().register("acme").enqueue(NewTask.of("k", "{}").withKey("of the owner"));
      }
      keepGoing(logins);
      assertThat(
              logins
                  .database()
                  .texts(
                      "select distinct c.relowner::regrole::text from pg_class c"
                          + " where c.relname ~ '^task_(hist|init|batch|wait|key)'"))
          .containsExactly(logins.roles().daemon());
    }
  }

  private static void keepGoing(RoleLogins logins) throws Exception {
    AtomicInteger runs = new AtomicInteger();
    try (Rota daemons = logins.rota("daemon");
        Rota applications = logins.rota("application");
        RotationDaemon daemon =
            RotationDaemon.builder(daemons)
                .rotateEvery(Duration.ofSeconds(1))
                .segmentBytes(0)
                .keepHistory(Duration.ofSeconds(1))
                .keepLedger(Duration.ofSeconds(1))
                .workShare(1)
                .tick(Duration.ofMillis(20))
                .start();
        Worker worker = applications.worker().handle("k", task -> runs.incrementAndGet()).start()) {
      Tenant acme = applications.tenants().get("acme");
      int enqueued = 1;
      while (!hasDoneEverything(daemon.statistics())) {
        acme.enqueueAll(tasks("k", 20));
        acme.enqueue(NewTask.of("k", "{}").after(Duration.ofMillis(10)));
        enqueued += 21;
        int all = enqueued;
        Await.atLeast("they have run", () -> runs.get(), all);
      }
      assertThat(daemon.isLeading()).isTrue();
    }
  }

  private static boolean hasDoneEverything(DaemonStatistics done) {
    return done.rotations() > 1
        && done.promoted() > 0
        && done.segments().opened() > 1
        && done.segments().dropped() > 0
        && done.segments().ledgerDropped() > 0;
  }
}
