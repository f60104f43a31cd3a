package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.rota.limits.Controls;
import dev.rota.limits.Limits;
import dev.rota.limits.QuotaExceededException;
import dev.rota.limits.Scope;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests how a quota is set, how callers wait for room, and what it costs. */
@RotaTest
@PostgresVersions({15, 18})
class QuotaTest {

  private static final int QUOTA = 10;
  private static final NewTask TASK = NewTask.of("k", "{}");
  private static final Scope ACME = Scope.tenant("acme");

  @Given private RotaFixture fixture;
  @Given private Tenant acme;
  private Controls controls;

  @BeforeEach
  void set() {
    controls = fixture.rota().controls();
    allow(QUOTA);
  }

  @Test
  void whoWaitsIsServedWhenThereIsRoom() {
    acme.enqueueAll(tasks(QUOTA));
    CompletableFuture<Long> waiting =
        InBackground.supply(() -> acme.enqueue(TASK, Duration.ofMinutes(4)));
    assertThatExceptionOfType(QuotaExceededException.class)
        .isThrownBy(() -> acme.enqueue(TASK, Duration.ZERO));
    assertThat(waiting).isNotDone();
    try (Batch batch = acme.claim(1)) {
      batch.settle();
    }
    assertThat(waiting.join()).isPositive();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> acme.enqueue(TASK, Duration.ofDays(2)))
        .withMessageContaining("patience");
  }

  @Test
  void anInterruptEndsTheWait() {
    acme.enqueueAll(tasks(QUOTA));
    Thread.currentThread().interrupt();
    assertThatExceptionOfType(QuotaExceededException.class)
        .isThrownBy(() -> acme.enqueue(TASK, Duration.ofMinutes(4)));
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void rulesChangeAtRunTime() throws SQLException {
    Tenant elsewhere = fixture.another().tenants().get("acme");
    acme.enqueueAll(tasks(QUOTA));
    allow(QUOTA + 2);
    elsewhere.enqueue(TASK);
    acme.enqueue(TASK);
    assertFull();
    controls.changeLimits(ACME, Limits::maxPendingByDefault);
    acme.enqueue(TASK);
    elsewhere.enqueue(TASK);
    controls.changeLimits(Scope.plan("free"), limits -> limits.maxPending(5));
    acme.enqueue(TASK);
    controls.changePlan("acme", "free");
    assertFull();
    Await.until("the other process knows it", () -> isRefused(elsewhere));
    // Its own quota replaces that of its plan.
    allow(100);
    acme.enqueue(TASK);
    controls.changeLimits(ACME, Limits::maxPendingByDefault);
    assertFull();
    controls.changePlan("acme", "default");
    acme.enqueue(TASK);
    assertThat(fixture.number("select count(*) from rota.tenant where quota")).isZero();
  }

  @Test
  void aTenantThatIsRegisteredLaterHasTheQuotaOfItsPlan() throws SQLException {
    controls.changeLimits(Scope.plan("default"), limits -> limits.maxPending(1));
    Tenant late = fixture.rota().tenants().register("late");
    late.enqueue(TASK);
    assertThat(isRefused(late)).isTrue();
    fixture.execute("delete from rota.rule");
    Await.until("the quota is gone", () -> !isRefused(late));
  }

  @Test
  void aTenantWithoutAQuotaAsksForNothing() {
    Faults faults = new Faults();
    Rota rota = fixture.observed(faults);
    Tenant free = rota.tenants().register("free");
    free.enqueue(TASK);
    free.enqueueAll(tasks(2));
    free.claim(3).settle();
    assertThat(faults.count("look for room")).isZero();
    rota.tenants().get("acme").enqueue(TASK);
    assertThat(faults.count("look for room")).isOne();
  }

  @Test
  void nothingIsStoredIfTheDatabaseCannotTellTheRoom() throws SQLException {
    Faults faults = new Faults();
    Tenant troubled = fixture.observed(faults).tenants().get("acme");
    for (Function<Tenant, Object> enqueue :
        List.<Function<Tenant, Object>>of(
            tenant -> tenant.enqueue(TASK), tenant -> tenant.enqueueAll(tasks(2)))) {
      faults.before("look for room").times(1).fail();
      assertThatExceptionOfType(DatabaseException.class).isThrownBy(() -> enqueue.apply(troubled));
    }
    assertThat(pending()).isZero();
  }

  @Test
  void aQuotaIsAtLeastOneAndOfTenantsOnly() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Limits.none().maxPending(0))
        .withMessage(
            "maxPending is 0; it must be 1 or more; to refuse all tasks, close the tenant");
    for (Scope scope : List.of(Scope.everything(), Scope.kind("k"), ACME.ofKind("k"))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> controls.changeLimits(scope, limits -> limits.maxPending(1)))
          .withMessageContaining("takes no weight, tier or quota");
    }
  }

  private void assertFull() {
    assertThat(isRefused(acme)).isTrue();
  }

  private static boolean isRefused(Tenant tenant) {
    try {
      tenant.enqueue(TASK);
      return false;
    } catch (QuotaExceededException e) {
      return true;
    }
  }

  private void allow(long tasks) {
    controls.changeLimits(ACME, limits -> limits.maxPending(tasks));
  }

  private long pending() throws SQLException {
    return fixture.number("select count(*) from rota_1.task_init_1");
  }

  private static List<NewTask> tasks(int count) {
    return Collections.nCopies(count, TASK);
  }
}
