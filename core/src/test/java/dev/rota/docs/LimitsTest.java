package dev.rota.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.rota.NewTask;
import dev.rota.RotaFixture;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.limits.Controls;
import dev.rota.limits.Limits;
import dev.rota.limits.Rate;
import dev.rota.limits.Rule;
import dev.rota.limits.Scope;
import dev.rota.testing.Await;
import dev.rota.testing.Documents;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that the examples in docs/limits.md are these compiled ones, and run. */
class LimitsTest {

  private static final String DOCUMENT = "docs/limits.md";
  private static final String EXAMPLE = "core/src/test/java/dev/rota/docs/LimitsExample.java";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "plans", "refuse", "weights", "caps", "rates", "pools", "shards", "hold", "breaker",
        "pause", "quota", "why", "top"
      })
  void showsTheCompiledExamples(String region) {
    assertThat(Documents.blocks(DOCUMENT, "java")).contains(Documents.region(EXAMPLE, region));
  }

  @Test
  void aPlanLeadsTo429() throws SQLException {
    try (RotaFixture fixture = RotaFixture.open()) {
      Tenant acme = fixture.tenant("acme");
      LimitsExample.plans(fixture.rota());
      NewTask task = NewTask.of("k", "{}");
      acme.enqueueAll(Collections.nCopies(9_999, task));
      assertThat(LimitsExample.request(acme, task).status()).isEqualTo(202);
      assertThat(LimitsExample.request(acme, task).status()).isEqualTo(429);
    }
  }

  @Test
  @Tag("exhaustive")
  void examplesRun() throws SQLException {
    try (RotaFixture fixture = RotaFixture.open()) {
      fixture.tenant("acme");
      fixture.tenant("vip");
      Controls controls = LimitsExample.weights(fixture.rota());
      assertThat(controls.planOf("acme")).isEqualTo("pro");
      assertThat(controls.rules())
          .containsExactly(
              new Rule(Scope.plan("enterprise"), Limits.none().tier(1), Optional.empty()),
              new Rule(Scope.plan("pro"), Limits.none().weight(4), Optional.empty()));
      AtomicInteger migrations = new AtomicInteger();
      LimitsExample.caps(controls);
      assertThat(controls.rules())
          .extracting(Rule::scope, rule -> rule.limits().concurrency().orElse(0))
          .contains(tuple(Scope.plan("free"), 5), tuple(Scope.tenant("vip"), 50));
      LimitsExample.rates(controls);
      assertThat(controls.rules())
          .extracting(Rule::scope, rule -> rule.limits().rate().map(Rate::toString).orElse(""))
          .contains(tuple(Scope.plan("pro"), "1000/m burst 50"));
      List<Worker> workers = LimitsExample.pools(fixture.rota(), controls, task -> {});
      fixture.rota().tenants().get("acme").enqueue(NewTask.of("mail", "{}"));
      Await.until("the worker of us runs it", () -> workers.get(1).statistics().done(), 1);
      assertThat(workers.get(0).statistics().claimed()).isZero();
      workers.forEach(Worker::close);
      try (Worker sharded = LimitsExample.shards(fixture.rota(), task -> {})) {
        fixture.rota().tenants().get("vip").enqueue(NewTask.of("mail", "{}"));
        Await.until("the only one has all tenants", () -> sharded.statistics().done(), 1);
      }
      LimitsExample.breaker(controls);
      assertThat(controls.rules()).anyMatch(rule -> rule.limits().breaker().isPresent());
      controls.changeLimits(Scope.kind("stripe.charge"), Limits::breakerByDefault);
      LimitsExample.pause(controls, migrations::incrementAndGet);
      assertThat(migrations).hasValue(1);
      assertThat(controls.resume(Scope.kind("stripe.charge"))).isTrue();
      List<Duration> replies = new ArrayList<>();
      controls.changePlan("vip", "free");
      LimitsExample.quota(
          controls, fixture.rota().tenants().get("vip"), NewTask.of("k", "{}"), replies::add);
      assertThat(replies).isEmpty();
      List<String> shown = new ArrayList<>();
      fixture.rota().controls().pause(Scope.tenant("acme"), "ticket 4711");
      LimitsExample.why(fixture.rota(), shown::add);
      assertThat(shown.get(0)).startsWith("PAUSED: paused by the rule of tenant:acme since ");
      fixture.rota().tenants().get("acme").enqueue(NewTask.of("k", "{}"));
      LimitsExample.top(fixture.rota(), shown::add);
      assertThat(shown).contains("acme 0.0 of 0.0");
      fixture.execute(Documents.blocks(DOCUMENT, "sql pause").get(0));
      assertThat(controls.resume(Scope.kind("stripe.charge"))).isTrue();
    }
  }
}
