package dev.rota.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.RetryPolicy;
import dev.rota.Rota;
import dev.rota.RotaFixture;
import dev.rota.RotaTest;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.daemon.RotationDaemon;
import dev.rota.testing.Await;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.Collections;
import org.junit.jupiter.api.Test;

/** Tests that a scrape of a short run has the meters of the list, and no others. */
@RotaTest
class ScrapeTest {

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

  @Given private RotaFixture fixture;

  @Test
  void hasEachMeterOfTheListAndTheOtherWayRound() {
    try (RotaMetrics metrics = RotaMetrics.builder(registry).tenants(10).build()) {
      Rota rota = fixture.another(builder -> builder.observer(metrics.observer()));
      metrics.watch(rota, Duration.ofSeconds(1));
      Tenant observed = rota.tenants().register("acme");
      try (RotationDaemon daemon = RotationDaemon.start(rota);
          Worker worker = work(rota)) {
        observed.enqueueAll(Collections.nCopies(10, NewTask.of("mail", "{}")));
        observed.enqueue(NewTask.of("boom", "{}"));
        Await.until("ten are done", () -> worker.statistics().done(), 10);
        Await.until("one is dead", () -> worker.statistics().dead(), 1);
        Await.until("the daemon leads", daemon::isLeading);
        Await.until(
            "the status was read when all was done",
            Duration.ofSeconds(60),
            this::isQuiet,
            this::scrape);
        assertThat(Series.scraped(scrape())).isEqualTo(Series.all());
        assertThat(value("rota_tasks_ended_total{kind=\"mail\",outcome=\"done\"}")).isEqualTo(10);
        assertThat(value("rota_tasks_ended_total{kind=\"boom\",outcome=\"dead\"}")).isEqualTo(1);
        assertThat(value("rota_tasks_errors_total{error=\"IllegalStateException\",kind=\"boom\"}"))
            .isEqualTo(1);
        assertThat(value("rota_task_run_seconds_count{kind=\"mail\",outcome=\"done\"}"))
            .isEqualTo(10);
        assertThat(value("rota_tasks_enqueued_total{kind=\"mail\"}")).isEqualTo(10);
        assertThat(value("rota_tasks_claimed_total")).isEqualTo(11);
        assertThat(value("rota_tenant_ended_total{outcome=\"done\",tenant=\"acme\"}"))
            .isEqualTo(10);
        assertThat(value("rota_worker_slots{state=\"free\"}")).isEqualTo(3);
        assertThat(value("rota_daemon_leading")).isEqualTo(1);
      }
    }
    assertThat(Series.scraped(scrape())).isEmpty();
  }

  private boolean isQuiet() {
    return value("rota_daemon_present") == 1
        && value("rota_workers_alive") == 1
        && value("rota_tasks_pending") == 0;
  }

  private static Worker work(Rota rota) {
    return rota.worker()
        .concurrency(3)
        .retry(RetryPolicy.never())
        .handle("mail", task -> {})
        .handle(
            "boom",
            task -> {
              throw new IllegalStateException("boom");
            })
        .start();
  }

  private String scrape() {
    return registry.scrape();
  }

  /** The value of a series; -1 if there is none. */
  private double value(String series) {
    return scrape()
        .lines()
        .filter(line -> line.startsWith(series + " "))
        .map(line -> line.substring(series.length() + 1))
        .mapToDouble(Double::parseDouble)
        .findFirst()
        .orElse(-1);
  }
}
