package dev.rota.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.RotaFixture;
import dev.rota.RotaTest;
import dev.rota.Tenant;
import dev.rota.spi.DaemonLoad;
import dev.rota.spi.EndedAttempt;
import dev.rota.spi.TaskObserver;
import dev.rota.spi.TaskObserver.Claimed;
import dev.rota.spi.TaskObserver.EnqueuePath;
import dev.rota.spi.TaskObserver.Enqueued;
import dev.rota.spi.TaskObserver.Settled;
import dev.rota.spi.WorkerLoad;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import dev.rota.testing.ScriptedFault;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.distribution.CountAtBucket;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests what is measured of what an observer is told. */
@RotaTest
class RotaMetricsTest {

  private final MeterRegistry registry = new SimpleMeterRegistry();
  @Given private RotaFixture fixture;
  @Given private Tenant acme;

  /** An attempt that lasted a second. */
  private record Ended(
      String tenant,
      String kind,
      EndedAttempt.Ending ending,
      @Nullable String error,
      long waitNanos)
      implements EndedAttempt {

    @Override
    public long task() {
      return 1;
    }

    @Override
    public int attempt() {
      return 1;
    }

    @Override
    public long runNanos() {
      return TimeUnit.SECONDS.toNanos(1);
    }
  }

  @Test
  void kindsBeyondTheLimitAreOther() {
    TaskObserver observer = RotaMetrics.builder(registry).kinds(2).build().observer();
    for (String kind : List.of("a", "b", "c", "d", "a")) {
      observer.ended(List.of(done(kind)));
    }
    assertThat(ended("a")).isEqualTo(2);
    assertThat(ended("b")).isEqualTo(1);
    assertThat(ended("other")).isEqualTo(2);
    assertThat(registry.find("rota.tasks.ended").tag("kind", "c").counter()).isNull();
  }

  @Test
  void attemptsOfOneBatchMayDiffer() {
    TaskObserver observer = RotaMetrics.builder(registry).build().observer();
    observer.ended(
        List.of(
            done("a"),
            done("a"),
            new Ended("acme", "a", EndedAttempt.Ending.FAILED, "IOException", -1),
            new Ended("acme", "a", EndedAttempt.Ending.DEAD, null, -1),
            new Ended("acme", "a", EndedAttempt.Ending.RELEASED, null, -1),
            done("b"),
            done("a")));
    assertThat(ended("a")).isEqualTo(3);
    assertThat(ended("b")).isEqualTo(1);
    assertThat(counter("rota.tasks.ended", "kind", "a", "outcome", "failed")).isEqualTo(1);
    assertThat(counter("rota.tasks.ended", "kind", "a", "outcome", "released")).isEqualTo(1);
    assertThat(counter("rota.tasks.errors", "kind", "a", "error", "IOException")).isEqualTo(1);
    assertThat(counter("rota.tasks.errors", "kind", "a", "error", "other")).isEqualTo(1);
    Timer run = registry.get("rota.task.run").tags("kind", "a", "outcome", "done").timer();
    assertThat(run.totalTime(TimeUnit.SECONDS)).isEqualTo(3);
    Timer wait = registry.get("rota.task.wait").tag("kind", "a").timer();
    assertThat(wait.count()).isEqualTo(3);
    assertThat(registry.find("rota.task.run").tag("outcome", "released").timer()).isNull();
  }

  @Test
  void errorsBeyondTheLimitAreOther() {
    TaskObserver observer = RotaMetrics.builder(registry).build().observer();
    for (int i = 0; i < 60; i++) {
      observer.ended(List.of(new Ended("acme", "a", EndedAttempt.Ending.DEAD, "E" + i, -1)));
    }
    assertThat(counter("rota.tasks.errors", "kind", "a", "error", "E49")).isEqualTo(1);
    assertThat(counter("rota.tasks.errors", "kind", "a", "error", "other")).isEqualTo(10);
  }

  @Test
  void tenantsAreMeasuredOnlyOnRequest() {
    TaskObserver without = RotaMetrics.builder(registry).build().observer();
    without.ended(List.of(done("a")));
    without.enqueued(enqueued("acme", null));
    assertThat(registry.getMeters()).noneMatch(meter -> meter.getId().getTag("tenant") != null);

    TaskObserver with = RotaMetrics.builder(registry).tenants(1).build().observer();
    with.enqueued(enqueued("acme", null));
    with.enqueued(enqueued("globex", null));
    with.ended(List.of(done("a")));
    assertThat(counter("rota.tenant.enqueued", "tenant", "acme")).isEqualTo(3);
    assertThat(counter("rota.tenant.enqueued", "tenant", "other")).isEqualTo(3);
    assertThat(counter("rota.tenant.ended", "tenant", "acme", "outcome", "done")).isEqualTo(1);
  }

  @Test
  void failedCallsHaveTimersOfTheirOwn() {
    TaskObserver observer = RotaMetrics.builder(registry).build().observer();
    observer.enqueued(enqueued("acme", new IllegalStateException()));
    observer.claimed(new Claimed(3, 0, 0, 1, true));
    observer.claimed(new Claimed(3, 0, 0, 1, false));
    observer.claimed(new Claimed(3, 2, 20, 1, false));
    observer.settled(new Settled(1, 1, -1, true));
    observer.settled(new Settled(1, 1, 5, false));
    observer.lost("acme", 7);
    assertThat(count("rota.enqueue", "path", "bulk", "outcome", "failed")).isEqualTo(1);
    assertThat(count("rota.claim", "outcome", "failed")).isEqualTo(1);
    assertThat(count("rota.claim", "outcome", "empty")).isEqualTo(1);
    assertThat(count("rota.claim", "outcome", "tasks")).isEqualTo(1);
    assertThat(count("rota.settle", "outcome", "failed")).isEqualTo(1);
    assertThat(registry.get("rota.settle.delay").timer().count()).isEqualTo(1);
    assertThat(counter("rota.batches.claimed")).isEqualTo(2);
    assertThat(counter("rota.batches.lost")).isEqualTo(1);
    assertThat(counter("rota.tasks.lost")).isEqualTo(7);
  }

  @Test
  void gaugesAddUpTheWorkersThatAreOpen() {
    TaskObserver observer = RotaMetrics.builder(registry).kinds(1).build().observer();
    Supplier<WorkerLoad> one = () -> new WorkerLoad(4, Map.of("a", 2, "b", 1), 5, 6, 20);
    Supplier<WorkerLoad> other = () -> new WorkerLoad(2, Map.of("a", 1), 1, 0, 2);
    observer.workerStarted(one);
    observer.workerStarted(other);
    assertThat(gauge("rota.worker.slots", "state", "busy")).isEqualTo(4);
    assertThat(gauge("rota.worker.slots", "state", "free")).isEqualTo(2);
    assertThat(gauge("rota.tasks.active", "kind", "a")).isEqualTo(3);
    assertThat(gauge("rota.tasks.active", "kind", "other")).isEqualTo(1);
    assertThat(gauge("rota.tasks.held", "state", "queued")).isEqualTo(6);
    assertThat(gauge("rota.tasks.held", "state", "bounded")).isEqualTo(6);
    assertThat(gauge("rota.tasks.unsettled")).isEqualTo(22);
    observer.workerClosed(one);
    assertThat(gauge("rota.tasks.unsettled")).isEqualTo(2);
  }

  @Test
  void countersOfADaemonNeverFall() {
    TaskObserver observer = RotaMetrics.builder(registry).build().observer();
    Supplier<DaemonLoad> first = () -> daemon(true, 5);
    Supplier<DaemonLoad> second = () -> daemon(false, 2);
    observer.daemonStarted(first);
    assertThat(gauge("rota.daemon.leading")).isEqualTo(1);
    observer.daemonClosed(first);
    assertThat(gauge("rota.daemon.leading")).isZero();
    assertThat(rotations()).isEqualTo(5);
    observer.daemonStarted(second);
    assertThat(rotations()).isEqualTo(7);
  }

  @Test
  void timersHaveBucketsUnlessTheyAreOff() {
    RotaMetrics.builder(registry).build();
    assertThat(buckets()).isNotEmpty();
    MeterRegistry plain = new SimpleMeterRegistry();
    RotaMetrics.builder(plain).buckets(false).build();
    assertThat(plain.get("rota.settle.delay").timer().takeSnapshot().histogramCounts()).isEmpty();
  }

  @Test
  void itRemovesItsMetersWhenClosed() {
    registry.counter("of.the.application").increment();
    RotaMetrics metrics = RotaMetrics.builder(registry).tenants(1).build();
    metrics.observer().ended(List.of(done("a")));
    assertThat(registry.getMeters()).hasSizeGreaterThan(10);
    metrics.close();
    assertThat(registry.getMeters())
        .extracting(Meter::getId)
        .extracting(Meter.Id::getName)
        .containsExactly("of.the.application");
  }

  @Test
  void limitsOutOfRangeAreRefused() {
    RotaMetrics.Builder builder = RotaMetrics.builder(registry);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder.kinds(0))
        .withMessage("kinds is 0; allowed are 1 to 10000");
    assertThatIllegalArgumentException().isThrownBy(() -> builder.tenants(10_001));
    try (RotaMetrics metrics = builder.build()) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> metrics.watch(fixture.rota(), Duration.ZERO));
    }
  }

  @Test
  void theWatchGoesOnAfterAFailure() throws Exception {
    Faults faults = new Faults();
    Rota rota = fixture.observed(faults);
    ScriptedFault away = faults.before("read server").always().fail();
    acme.enqueue(NewTask.of("a", "{}"));
    try (RotaMetrics metrics = RotaMetrics.builder(registry).build()) {
      metrics.watch(rota, Duration.ofSeconds(1));
      away.awaitReached();
      assertThat(gauge("rota.tasks.pending")).isNaN();
      away.stop();
      Await.until("read", () -> gauge("rota.tasks.pending") == 1);
      Await.until("it ages", () -> gauge("rota.tasks.oldest.age") > 0);
      assertThat(gauge("rota.daemon.present")).isZero();
      rota.close();
      Await.until("it ended with the Rota", () -> !isWatching());
      assertThat(gauge("rota.status.age")).isPositive();
    }
  }

  @Test
  void theWatchEndsWithTheMetrics() {
    RotaMetrics metrics = RotaMetrics.builder(registry).build();
    metrics.watch(fixture.rota(), Duration.ofHours(1));
    Await.until("read", () -> gauge("rota.tasks.pending") == 0);
    assertThat(isWatching()).isTrue();
    assertThatIllegalStateException()
        .isThrownBy(() -> metrics.watch(fixture.rota(), Duration.ofHours(1)));
    metrics.close();
    Await.until("it ended", () -> !isWatching());
  }

  private static boolean isWatching() {
    return Thread.getAllStackTraces().keySet().stream()
        .anyMatch(thread -> thread.getName().equals("rota-metrics"));
  }

  private static Ended done(String kind) {
    return new Ended("acme", kind, EndedAttempt.Ending.DONE, null, 1);
  }

  private static Enqueued enqueued(String tenant, @Nullable Throwable error) {
    Map<String, Integer> kinds = error == null ? Map.of("a", 2, "b", 1) : Map.of();
    return new Enqueued(tenant, kinds, EnqueuePath.BULK, 1, error);
  }

  private static DaemonLoad daemon(boolean leading, long count) {
    return new DaemonLoad(
        leading,
        new DaemonLoad.Rings(count, 0, 0, 0, 0),
        new DaemonLoad.Segments(0, 0, 0, 0),
        new DaemonLoad.Archived(0, 0, 0));
  }

  private double rotations() {
    return registry.get("rota.rotations").tag("outcome", "switched").functionCounter().count();
  }

  private double ended(String kind) {
    return counter("rota.tasks.ended", "kind", kind, "outcome", "done");
  }

  private double counter(String name, String... tags) {
    return registry.get(name).tags(tags).counter().count();
  }

  private long count(String name, String... tags) {
    return registry.get(name).tags(tags).timer().count();
  }

  private double gauge(String name, String... tags) {
    return registry.get(name).tags(tags).gauge().value();
  }

  private CountAtBucket[] buckets() {
    return registry.get("rota.settle.delay").timer().takeSnapshot().histogramCounts();
  }
}
