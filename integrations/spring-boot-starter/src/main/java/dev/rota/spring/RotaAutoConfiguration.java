package dev.rota.spring;

import dev.rota.Rota;
import dev.rota.Worker;
import dev.rota.daemon.RotationDaemon;
import dev.rota.jackson.JacksonCodec;
import dev.rota.spi.PayloadCodec;
import java.util.Collection;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import tools.jackson.databind.json.JsonMapper;

/**
 * Builds a Rota over the data source of the application, its worker and its daemon. It looks last,
 * after all auto-configurations whose beans it uses; those of Boot stand by name too.
 */
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@AutoConfiguration(
    afterName = {
      "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
      "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration",
      "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
      "org.springframework.boot.opentelemetry.autoconfigure.OpenTelemetrySdkAutoConfiguration"
    })
@ConditionalOnBean(DataSource.class)
@ConditionalOnProperty(name = "rota.enabled", matchIfMissing = true)
@EnableConfigurationProperties(RotaProperties.class)
@Import({MonitoringConfiguration.class, DashboardConfiguration.class})
final class RotaAutoConfiguration {

  /** After the migrations of the application, whatever makes them. */
  @Bean(destroyMethod = "close")
  @ConditionalOnMissingBean
  @DependsOnDatabaseInitialization
  Rota rota(
      RotaProperties properties,
      ListableBeanFactory beans,
      ObjectProvider<DataSource> dataSources,
      ObjectProvider<PayloadCodec> codec,
      ObjectProvider<RotaCustomizer<Rota.Builder>> customizers) {
    RotaOpening opening = new RotaOpening(properties, codec, customizers);
    String named = properties.getDatasource();
    return opening.open(named == null ? only(dataSources) : beans.getBean(named, DataSource.class));
  }

  private static DataSource only(ObjectProvider<DataSource> dataSources) {
    try {
      return dataSources.getObject();
    } catch (NoUniqueBeanDefinitionException e) {
      Collection<String> names = e.getBeanNamesFound();
      throw new AmbiguousDataSourceException(names == null ? List.of() : names);
    }
  }

  @Bean
  @ConditionalOnProperty(name = "rota.join-transactions", matchIfMissing = true)
  static EndingTransactions rotaEndingTransactions() {
    return new EndingTransactions();
  }

  @Bean
  static AnnotatedMethods rotaAnnotatedMethods(
      ConfigurableListableBeanFactory beans, Environment environment) {
    return new AnnotatedMethods(beans, environment.getProperty("rota.system-tenant", "system"));
  }

  @Bean
  AnnotatedWorker rotaAnnotatedWorker(
      AnnotatedMethods methods,
      RotaProperties properties,
      Environment environment,
      ObjectProvider<RotaCustomizer<Worker.Builder>> customizers) {
    WorkerSettings settings = new WorkerSettings(properties.getWorker(), environment);
    return new AnnotatedWorker(methods, settings, customizers);
  }

  @Bean
  @ConditionalOnProperty(name = "rota.worker.enabled", matchIfMissing = true)
  WorkerLifecycle rotaWorkerLifecycle(Rota rota, AnnotatedWorker annotated) {
    return new WorkerLifecycle(rota, annotated);
  }

  @Bean
  @ConditionalOnProperty(name = "rota.daemon.enabled", matchIfMissing = true)
  DaemonLifecycle rotaDaemonLifecycle(
      Rota rota,
      RotaProperties properties,
      ObjectProvider<RotaCustomizer<RotationDaemon.Builder>> customizers) {
    return new DaemonLifecycle(rota, properties.getDaemon(), customizers);
  }

  /** Payloads in JSON, by the mapper of the application if it has one. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(JsonMapper.class)
  static final class JacksonPayloads {

    @Bean
    @ConditionalOnMissingBean
    PayloadCodec rotaPayloadCodec(ObjectProvider<JsonMapper> mapper) {
      JsonMapper found = mapper.getIfUnique();
      return found == null ? JacksonCodec.create() : JacksonCodec.of(found);
    }
  }
}
