package dev.rota.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Batch;
import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.SchemaMissingException;
import dev.rota.Tenant;
import dev.rota.micrometer.RotaMetrics;
import dev.rota.opentelemetry.RotaTelemetry;
import dev.rota.spi.TaskObserver;
import dev.rota.testing.Await;
import dev.rota.testing.TestDatabase;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Scope;
import io.opentelemetry.context.propagation.ContextPropagators;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.opentelemetry.autoconfigure.OpenTelemetrySdkAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Tests what operators see of a process, and that each part needs its library. */
class MonitoringTest {

  private static final NewTask TASK = NewTask.of("k", "{}");
  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  private static final String SPAN = "00f067aa0ba902b7";

  private final TestDatabase database = Contexts.migrated();

  /** Observes enqueues in the place of the metrics. */
  @Configuration(proxyBeanMethods = false)
  static class OwnObserver {

    private final BlockingQueue<String> seen = new LinkedBlockingQueue<>();

    @Bean
    RotaCustomizer<Rota.Builder> ownObserver() {
      return rota ->
          rota.observer(
              new TaskObserver() {
                @Override
                public void enqueued(Enqueued enqueued) {
                  seen.add(enqueued.tenant());
                }
              });
    }
  }

  /** A bean with a handler. */
  static class Ticks {
    @RotaHandler("tick")
    void tick() {}
  }

  @AfterEach
  void close() {
    database.close();
  }

  private ApplicationContextRunner runner() {
    return Contexts.over(database)
        .withPropertyValues(
            "rota.worker.enabled=false",
            "rota.daemon.enabled=false",
            "management.endpoints.web.exposure.include=rota",
            "spring.datasource.hikari.connection-timeout=250");
  }

  private static ApplicationContextRunner measured(ApplicationContextRunner runner) {
    return runner.withBean(MeterRegistry.class, SimpleMeterRegistry::new);
  }

  private static Tenant acme(ApplicationContext context) {
    return context.getBean(Rota.class).tenants().get("acme");
  }

  private static double enqueued(ApplicationContext context) {
    MeterRegistry meters = context.getBean(MeterRegistry.class);
    return meters.find("rota.tasks.enqueued").counters().stream().mapToDouble(c -> c.count()).sum();
  }

  @Test
  void healthIsUpWithNumbersAndDownWithoutSchemaOrDatabase() {
    runner()
        .run(
            context -> {
              HealthIndicator indicator = context.getBean(HealthIndicator.class);
              Health up = indicator.health();
              assertThat(up.getStatus()).isEqualTo(Status.UP);
              assertThat(up.getDetails())
                  .containsOnlyKeys(
                      "schemaVersion", "daemonLeads", "liveWorkers", "setAside", "archiveTroubles")
                  .containsEntry("daemonLeads", false)
                  .containsEntry("liveWorkers", 0);
              database.execute("drop schema rota cascade");
              Health missing = indicator.health();
              assertThat(missing.getStatus()).isEqualTo(Status.DOWN);
              assertThat(String.valueOf(missing.getDetails().get("error")))
                  .contains(SchemaMissingException.class.getName(), "schema \"rota\"");
              database.close();
              Health unreachable = indicator.health();
              assertThat(unreachable.getStatus()).isEqualTo(Status.DOWN);
              assertThat(unreachable.getDetails()).containsOnlyKeys("error");
            });
  }

  @Test
  void theEndpointShowsThisProcess() {
    Contexts.over(database)
        .withBean(Ticks.class)
        .withPropertyValues("management.endpoints.web.exposure.include=rota")
        .run(
            context -> {
              RotaEndpoint endpoint = context.getBean(RotaEndpoint.class);
              acme(context).enqueue(NewTask.of("tick", ""));
              Await.until("done", () -> done(endpoint), 1);
              Await.until("the daemon leads", () -> endpoint.process().daemon().leading());
              assertThat(endpoint.process().worker().kinds()).containsExactly("tick");
              context.getSourceApplicationContext().stop();
              assertThat(endpoint.process())
                  .isEqualTo(
                      new RotaEndpoint.ProcessState(
                          new RotaEndpoint.WorkerState(false, List.of("tick"), null),
                          new RotaEndpoint.DaemonState(false, false, null)));
            });
    runner()
        .run(
            context ->
                assertThat(context.getBean(RotaEndpoint.class).process())
                    .isEqualTo(new RotaEndpoint.ProcessState(null, null)));
  }

  private static long done(RotaEndpoint endpoint) {
    return endpoint.process().worker().sinceStart().done();
  }

  @Test
  void aRegistryIsEnoughForMetrics() {
    measured(runner())
        .run(
            context -> {
              acme(context).enqueue(TASK);
              assertThat(enqueued(context)).isOne();
              MeterRegistry meters = context.getBean(MeterRegistry.class);
              assertThat(meters.find("rota.tenant.enqueued").counter()).isNull();
              assertThat(meters.find("rota.tasks.pending").gauge()).isNull();
            });
    runner().run(context -> assertThat(context).doesNotHaveBean(RotaMetrics.class));
  }

  @Test
  void propertiesChangeTheMetrics() {
    measured(runner())
        .withPropertyValues("rota.metrics.tenants=5", "rota.metrics.watch-every=1h")
        .run(
            context -> {
              acme(context).enqueue(TASK);
              MeterRegistry meters = context.getBean(MeterRegistry.class);
              assertThat(meters.get("rota.tenant.enqueued").tag("tenant", "acme").counter().count())
                  .isOne();
              Await.until(
                  "the status is read",
                  () -> Double.isFinite(meters.get("rota.status.age").gauge().value()));
            });
    measured(runner())
        .withPropertyValues("rota.metrics.enabled=false")
        .run(
            context -> {
              acme(context).enqueue(TASK);
              assertThat(enqueued(context)).isZero();
            });
  }

  @Test
  void aCustomizerMayAddAnObserver() {
    measured(runner())
        .withUserConfiguration(OwnObserver.class)
        .run(
            context -> {
              acme(context).enqueue(TASK);
              assertThat(context.getBean(OwnObserver.class).seen).containsExactly("acme");
              assertThat(enqueued(context)).isOne();
            });
  }

  @Test
  void anOpenTelemetryIsEnoughForTraces() {
    ApplicationContextRunner traced =
        runner()
            .withBean(
                OpenTelemetry.class,
                () ->
                    OpenTelemetry.propagating(
                        ContextPropagators.create(W3CTraceContextPropagator.getInstance())));
    traced.run(
        context ->
            assertThat(headersOfARequest(context))
                .containsExactly(Map.entry("traceparent", "00-" + TRACE + "-" + SPAN + "-01")));
    traced
        .withPropertyValues("rota.tracing.enabled=false")
        .run(context -> assertThat(headersOfARequest(context)).isEmpty());
    runner().run(context -> assertThat(context).doesNotHaveBean(RotaTelemetry.class));
  }

  @ParameterizedTest
  @ValueSource(classes = {OpenTelemetrySdkAutoConfiguration.class, TelemetryOfVendor.class})
  void theOpenTelemetryOfAnAutoConfigurationIsEnoughForTraces(Class<?> configuration) {
    runner()
        .withConfiguration(AutoConfigurations.of(configuration))
        .withBean(
            ContextPropagators.class,
            () -> ContextPropagators.create(W3CTraceContextPropagator.getInstance()))
        .run(
            context ->
                assertThat(headersOfARequest(context).get("traceparent"))
                    .startsWith("00-" + TRACE + "-"));
  }

  private static Map<String, String> headersOfARequest(ApplicationContext context) {
    SpanContext request =
        SpanContext.create(TRACE, SPAN, TraceFlags.getSampled(), TraceState.getDefault());
    try (Scope unused = Span.wrap(request).makeCurrent()) {
      acme(context).enqueue(TASK);
    }
    try (Batch batch = acme(context).claim(1)) {
      batch.settle();
      return batch.tasks().get(0).headers();
    }
  }

  @Test
  void eachPartNeedsItsLibrary() {
    measured(runner())
        .withClassLoader(
            new FilteredClassLoader(
                RotaMetrics.class, RotaTelemetry.class, HealthIndicator.class, Endpoint.class))
        .run(
            context ->
                assertThat(context)
                    .hasSingleBean(Rota.class)
                    .doesNotHaveBean("rotaMetrics")
                    .doesNotHaveBean("rotaTelemetry")
                    .doesNotHaveBean("rotaHealthIndicator"));
    runner()
        .withPropertyValues("management.health.rota.enabled=false")
        .run(context -> assertThat(context).doesNotHaveBean(RotaHealthIndicator.class));
  }
}
