package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.rota.internal.DefaultRota;
import dev.rota.internal.RotaBuilder;
import dev.rota.internal.claim.TaskRules;
import dev.rota.limits.Controls;
import dev.rota.limits.Scope;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import dev.rota.testing.ScriptedFault;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests that claims begin by rules that were the present ones a moment ago. */
@RotaTest
@PostgresVersions({15, 18})
class RecentRulesTest {

  private static final NewTask MAIL = NewTask.of("mail", "{}");
  private static final Scope ACME = Scope.tenant("acme");
  private static final String ASK = "look for changed rules";

  private final Faults faults = new Faults();
  private final AtomicLong clock = new AtomicLong();
  private final Queue<String> ran = new ConcurrentLinkedQueue<>();
  @Given private RotaFixture fixture;
  @Given private Tenant acme;
  @Given private Tenant other;
  private Controls controls;

  @BeforeEach
  void open() {
    controls = fixture.rota().controls();
  }

  /** A process that looks at no registry and hears no doorbell while the test runs. */
  private Rota process() {
    UnaryOperator<Rota.Builder> settings =
        builder ->
            RotaBuilder.nanoTime(
                builder.doorbell(false).registryRefresh(Duration.ofMinutes(1)), clock::get);
    return fixture.observed(faults, settings);
  }

  private void letAMomentPass() {
    clock.addAndGet(TaskRules.Source.RECENT_NANOS);
  }

  @Test
  void aCallerThatClaimsSeldomLearnsOfAPause() {
    Tenant own = process().tenants().get("acme");
    assertThat(own.claim(1).tasks()).isEmpty();
    acme.enqueue(MAIL);
    controls.pause(ACME, "");
    letAMomentPass();
    assertThat(own.claim(1).tasks()).as("paused").isEmpty();
    controls.resume(ACME);
    letAMomentPass();
    assertThat(own.claim(1).tasks()).hasSize(1);
  }

  @Test
  void aBusyCallerAsksOnceInAMoment() {
    Tenant own = process().tenants().get("acme");
    for (int moment = 0; moment < 3; moment++) {
      for (int i = 0; i < 10; i++) {
        acme.enqueue(MAIL);
        assertThat(own.claim(1).tasks()).hasSize(1);
      }
      assertThat(faults.count(ASK)).as("the first claim reads it anyway").isEqualTo(moment);
      letAMomentPass();
    }
    assertThat(faults.count("read rules")).isZero();
  }

  @Test
  void aCallerThatCannotReadTheRulesClaimsNothing() {
    Tenant own = process().tenants().get("acme");
    assertThat(own.claim(1).tasks()).isEmpty();
    acme.enqueue(MAIL);
    controls.pause(Scope.tenant("other"), "");
    letAMomentPass();
    faults.before("read rules").fail();
    assertThatExceptionOfType(DatabaseException.class).isThrownBy(() -> own.claim(1));
    assertThat(own.claim(1).tasks()).hasSize(1);
  }

  @ParameterizedTest
  @EnumSource
  @Tag("exhaustive")
  void aClaimReadsTheRulesWhileLooksRest(DeliveryMode mode) throws Exception {
    faults.before("read rules").run(() -> clock.addAndGet(TimeUnit.MINUTES.toNanos(1)));
    Rota process = process();
    try (Worker worker = start(process, mode)) {
      other.enqueue(MAIL);
      Await.until("the first claim, which reads the version", () -> worker.statistics().done(), 1);
      controls.pause(Scope.kind("another"), "");
      TaskRules.Source rules = DefaultRota.kernelOf(process).rules();
      Await.until("they are read, in a minute", () -> rules.version() > 0);
      // Looks load the registry too, which would tell of the pause.
      ScriptedFault looks = faults.before("discover").hold();
      looks.awaitReached();
      controls.pause(ACME, "");
      letAMomentPass();
      ScriptedFault asked = faults.after(ASK).watch();
      process.tenants().get("acme").enqueue(MAIL);
      process.tenants().get("other").enqueue(MAIL);
      asked.awaitReached();
      Await.until("another task", () -> worker.statistics().done(), 2);
      assertThat(ran).containsExactly("other", "other");
      looks.release();
      controls.resume(ACME);
      clock.addAndGet(TimeUnit.HOURS.toNanos(1));
      Await.until("it is found", () -> worker.statistics().done(), 3);
    }
  }

  @ParameterizedTest
  @EnumSource
  @Tag("exhaustive")
  void nothingIsClaimedWhileTheRulesCannotBeRead(DeliveryMode mode) throws Exception {
    Rota process = process();
    try (Worker worker = start(process, mode)) {
      other.enqueue(MAIL);
      Await.until("one task", () -> worker.statistics().done(), 1);
      ScriptedFault ofClaim =
          faults.before("read rules").inTransactionOf(ASK).always().fail("42501");
      ScriptedFault ofLook = faults.before("read rules").always().optional().fail("42501");
      controls.pause(ACME, "");
      letAMomentPass();
      acme.enqueue(MAIL);
      other.enqueue(MAIL);
      ofClaim.awaitReached();
      assertThat(worker.statistics().claimed()).isEqualTo(1);
      ofClaim.stop();
      ofLook.stop();
      Await.until(
          "it goes on",
          () -> {
            clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(10));
            return worker.statistics().done() == 2;
          });
      assertThat(ran).containsExactly("other", "other");
    }
  }

  private Worker start(Rota rota, DeliveryMode mode) {
    Worker.Builder settings = rota.worker().delivery(mode);
    return mode == DeliveryMode.TRANSACTIONAL
        ? settings.handleInTransaction("mail", (task, connection) -> ran.add(task.tenant())).start()
        : settings.handle("mail", task -> ran.add(task.tenant())).start();
  }
}
