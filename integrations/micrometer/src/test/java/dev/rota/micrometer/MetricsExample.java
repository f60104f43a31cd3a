package dev.rota.micrometer;

import dev.rota.Rota;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import javax.sql.DataSource;

/** The example of docs/metrics.md. */
final class MetricsExample {

  private MetricsExample() {}

  static Rota measure(MeterRegistry registry, DataSource dataSource) {
    // begin use
    RotaMetrics metrics = RotaMetrics.builder(registry).tenants(20).build();
    Rota rota = Rota.builder(dataSource).observer(metrics.observer()).build();
    metrics.watch(rota, Duration.ofMinutes(1));
    // end use
    return rota;
  }
}
