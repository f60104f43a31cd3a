package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.internal.RotaBuilder;
import dev.rota.limits.Scope;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import java.util.Collections;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests that a database without rules is spared every statement about them. */
@RotaTest
@PostgresVersions({15, 18})
class ZeroCostTest {

  private static final NewTask TASK = NewTask.of("k", "{}");

  private final Faults faults = new Faults();
  private final Set<String> calls = new ConcurrentSkipListSet<>();
  @Given private RotaFixture fixture;

  /** No time passes, so that each look is a recent one however slow the machine is. */
  @Test
  void aWorkerSendsTheStatementsOfBeforeAndNoOthers() throws Exception {
    faults.beforeAnyCall().tell(calls::add);
    Rota rota =
        fixture.observed(faults, builder -> RotaBuilder.nanoTime(builder.doorbell(false), () -> 0));
    Tenant acme = rota.tenants().register("acme");
    try (Worker worker = rota.worker().handle("k", task -> {}).start()) {
      acme.enqueueAll(Collections.nCopies(500, TASK));
      Await.until("all done", () -> worker.statistics().done(), 500);
      assertThat(acme.claim(10).tasks()).isEmpty();
      faults.awaitMore("discover", 5);
    }
    assertThat(calls).noneMatch(call -> call.contains("rule") || call.contains("plan"));
    assertThat(faults.count("discover")).isGreaterThan(5);
  }

  @Test
  void rulesAreReadOnceForAChangeAndNotWithEachLook() throws Exception {
    fixture.tenant("acme");
    Rota rota = fixture.observed(faults);
    try (Worker worker = rota.worker().handle("k", task -> {}).start()) {
      faults.awaitMore("discover", 1);
      fixture.rota().controls().pause(Scope.kind("other"), "");
      Await.until("they are read", () -> faults.count("read rules"), 1);
      faults.awaitMore("discover", 5);
      assertThat(faults.count("read rules")).isEqualTo(1);
      assertThat(faults.count("read plans")).as("no rule is about a plan").isZero();
      assertThat(worker.statistics().claimed()).isZero();
    }
  }

  @Test
  @Tag("exhaustive")
  void aPausedBacklogCostsNoClaim() throws Exception {
    Tenant acme = fixture.tenant("acme");
    acme.enqueueAll(Collections.nCopies(5_000, TASK));
    fixture.rota().controls().pause(Scope.tenant("acme"), "");
    Rota rota = fixture.observed(faults);
    try (Worker worker = rota.worker().handle("k", task -> {}).start()) {
      faults.awaitMore("discover", 10);
      acme.enqueue(TASK);
      faults.awaitMore("discover", 5);
      assertThat(faults.count("claim")).isZero();
      assertThat(faults.count("gate")).isZero();
      assertThat(worker.statistics().claimed()).isZero();
    }
  }
}
