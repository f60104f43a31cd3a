package dev.rota.spring;

import dev.rota.Rota;
import dev.rota.micrometer.RotaMetrics;
import dev.rota.opentelemetry.RotaTelemetry;
import io.micrometer.core.instrument.MeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import java.time.Duration;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Builds metrics, health and an endpoint, each if the application has the library for it. */
@Configuration(proxyBeanMethods = false)
final class MonitoringConfiguration {

  /** Metrics in the registry of the application. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({MeterRegistry.class, RotaMetrics.class})
  @ConditionalOnSingleCandidate(MeterRegistry.class)
  @ConditionalOnProperty(name = "rota.metrics.enabled", matchIfMissing = true)
  static final class OfMetrics {

    @Bean
    @ConditionalOnMissingBean
    RotaMetrics rotaMetrics(MeterRegistry registry, RotaProperties properties) {
      return RotaMetrics.builder(registry).tenants(properties.getMetrics().getTenants()).build();
    }

    @Bean
    RotaCustomizer<Rota.Builder> rotaMetricsCustomizer(RotaMetrics metrics) {
      return rota -> rota.observer(metrics.observer());
    }

    @Bean
    SmartInitializingSingleton rotaMetricsWatch(
        Rota rota, RotaMetrics metrics, RotaProperties properties) {
      Duration every = properties.getMetrics().getWatchEvery();
      return () -> {
        if (every != null) {
          metrics.watch(rota, every);
        }
      };
    }
  }

  /** Traces with the tracers of the application. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({OpenTelemetry.class, RotaTelemetry.class})
  @ConditionalOnSingleCandidate(OpenTelemetry.class)
  @ConditionalOnProperty(name = "rota.tracing.enabled", matchIfMissing = true)
  static final class OfTracing {

    @Bean
    @ConditionalOnMissingBean
    RotaTelemetry rotaTelemetry(OpenTelemetry openTelemetry, RotaProperties properties) {
      return RotaTelemetry.builder(openTelemetry)
          .parents(properties.getTracing().isParent())
          .metrics(properties.getTracing().isMetrics())
          .build();
    }

    @Bean
    RotaCustomizer<Rota.Builder> rotaTracingCustomizer(RotaTelemetry telemetry) {
      return rota -> rota.observer(telemetry.observer());
    }
  }

  /** Health of the database of Rota. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
  static final class OfHealth {

    @Bean
    @ConditionalOnEnabledHealthIndicator("rota")
    @ConditionalOnMissingBean(name = "rotaHealthIndicator")
    RotaHealthIndicator rotaHealthIndicator(Rota rota) {
      return new RotaHealthIndicator(rota);
    }
  }

  /** The endpoint of the actuator. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
  static final class OfEndpoint {

    @Bean
    @ConditionalOnAvailableEndpoint
    RotaEndpoint rotaEndpoint(
        AnnotatedMethods methods,
        ObjectProvider<WorkerLifecycle> worker,
        ObjectProvider<DaemonLifecycle> daemon) {
      return new RotaEndpoint(methods, worker.getIfAvailable(), daemon.getIfAvailable());
    }
  }
}
