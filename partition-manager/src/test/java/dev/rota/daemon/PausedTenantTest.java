package dev.rota.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.NewTask;
import dev.rota.Tenant;
import dev.rota.limits.Controls;
import dev.rota.limits.Scope;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that the daemon does nothing for the tasks of a paused tenant, and goes on afterwards. */
class PausedTenantTest {

  private static final NewTask SOON = NewTask.of("k", "{}").after(Duration.ofMillis(1));

  private final Faults faults = new Faults();
  private DaemonFixture fixture;
  private Controls controls;
  private Tenant acme;
  private Tenant other;

  @BeforeEach
  void open() {
    fixture = new DaemonFixture();
    acme = fixture.tenant("acme");
    other = fixture.tenant("other");
    controls = fixture.rota().controls();
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void dueTasksWaitUntilTheTenantIsResumed() throws Exception {
    controls.pause(Scope.tenant("acme"), "");
    acme.enqueue(SOON);
    RotationDaemon daemon = fixture.daemon(fixture.observed(faults), DaemonFixture::quickRing);
    promoteOne(daemon, 1);
    int promotions = faults.count("promote");
    promoteOne(daemon, 2);
    assertThat(faults.count("promote") - promotions)
        .as("statements while nothing but one task is due")
        .isLessThan(5);
    assertThat(pending(acme)).isZero();
    controls.resume(Scope.tenant("acme"));
    Await.until("it is promoted", () -> pending(acme) == 1);
  }

  @Test
  void aLeadingDaemonReadsChangedRulesWithItsLooks() throws Exception {
    RotationDaemon daemon = fixture.daemon(fixture.observed(faults), DaemonFixture::quickRing);
    promoteOne(daemon, 1);
    assertThat(faults.count("read rules")).as("without rules").isZero();
    controls.pause(Scope.tenant("acme"), "");
    Await.until("it has read them", () -> faults.count("read rules") == 1);
    faults.awaitMore("look for waiting tasks", 2);
    acme.enqueue(SOON);
    promoteOne(daemon, 2);
    assertThat(pending(acme)).isZero();
    assertThat(faults.count("read rules")).as("once for a change").isEqualTo(1);
  }

  @Test
  void theRotationOfAPausedTenantIsPostponed() throws Exception {
    controls.pause(Scope.tenant("acme"), "");
    acme.enqueueAll(DaemonFixture.tasks("k", 2_000));
    other.enqueueAll(DaemonFixture.tasks("k", 10));
    RotationDaemon daemon = fixture.daemon(fixture.observed(faults), DaemonFixture::quickRing);
    Await.atLeast("the other one rotates", () -> daemon.statistics().rotations(), 1);
    Await.until(
        "the reason is noted",
        () -> fixture.tenant(acme, "postponed_reason").startsWith("paused: "));
    assertThat(fixture.tenant(acme, "current_slot")).isEqualTo("0");
    assertThat(fixture.number("select count(*) from " + DaemonFixture.slot(acme, 0)))
        .isEqualTo(2_000);
    controls.resume(Scope.tenant("acme"));
    Await.until("it rotates", () -> !fixture.tenant(acme, "current_slot").equals("0"));
    assertThat(fixture.tenant(acme, "postponed_reason")).isEqualTo("null");
  }

  private void promoteOne(RotationDaemon daemon, long all) {
    other.enqueue(SOON);
    Await.until("task " + all + " is promoted", () -> daemon.statistics().promoted(), all);
  }

  private long pending(Tenant tenant) throws SQLException {
    return fixture.number(
        "select count(*) from rota_%1$d.task_init_%1$d where state = 'pending'"
            .formatted(tenant.number()));
  }
}
