package dev.rota.spring;

import dev.rota.Rota;
import dev.rota.micrometer.RotaMetrics;
import io.micrometer.core.instrument.MeterRegistry;
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
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

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

    /** Comes first, so that a customizer of the application may set another observer. */
    @Bean
    @Order(Ordered.HIGHEST_PRECEDENCE)
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
