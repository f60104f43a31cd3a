package dev.rota.opentelemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import dev.rota.Given;
import dev.rota.InvalidTaskException;
import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.RotaFixture;
import dev.rota.RotaTest;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.daemon.RotationDaemon;
import dev.rota.pipeline.Pipeline;
import dev.rota.pipeline.StageResult;
import dev.rota.testing.Await;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.baggage.Baggage;
import io.opentelemetry.api.baggage.propagation.W3CBaggagePropagator;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Scope;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.context.propagation.TextMapPropagator;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.testing.exporter.InMemoryMetricReader;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.sql.Connection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Reads spans and metrics back from exporters in memory. */
@RotaTest
class TraceTest {

  private static final NewTask TASK = NewTask.of("email.send", "{}");

  private final InMemorySpanExporter spans = InMemorySpanExporter.create();
  private final InMemoryMetricReader metrics = InMemoryMetricReader.create();
  @Given private RotaFixture fixture;
  @Given private Tenant unobserved;

  private OpenTelemetry telemetry(Sampler sampler) {
    return OpenTelemetrySdk.builder()
        .setTracerProvider(
            SdkTracerProvider.builder()
                .setSampler(sampler)
                .addSpanProcessor(SimpleSpanProcessor.create(spans))
                .build())
        .setMeterProvider(SdkMeterProvider.builder().registerMetricReader(metrics).build())
        .setPropagators(
            ContextPropagators.create(
                TextMapPropagator.composite(
                    W3CTraceContextPropagator.getInstance(), W3CBaggagePropagator.getInstance())))
        .build();
  }

  private Tenant traced(OpenTelemetry api, UnaryOperator<RotaTelemetry.Builder> settings) {
    return rotaOf(api, settings).tenants().get(unobserved.name());
  }

  private SpanData span(String name) {
    return spansOf(name).get(0);
  }

  private List<SpanData> spansOf(String name) {
    return spans.getFinishedSpanItems().stream()
        .filter(span -> span.getName().equals(name))
        .toList();
  }

  private void awaitSpans(String name, int count) {
    Await.until(name, () -> spansOf(name).size(), count);
  }

  /** Runs tasks of a tenant until so many spans of handlers have ended. */
  private void work(Rota rota, int processed) {
    try (Worker worker = rota.worker().handle("email.send", task -> {}).start()) {
      awaitSpans("process email.send", processed);
      Await.until("settled", () -> worker.statistics().done() >= processed);
    }
  }

  private Rota rotaOf(OpenTelemetry api, UnaryOperator<RotaTelemetry.Builder> settings) {
    RotaTelemetry telemetry = settings.apply(RotaTelemetry.builder(api)).build();
    return fixture.another(builder -> builder.observer(telemetry.observer()));
  }

  @Test
  void eachWayOfAnEnqueueLinksItsHandlersToTheRequest() throws Exception {
    OpenTelemetry api = telemetry(Sampler.alwaysOn());
    Rota rota = rotaOf(api, builder -> builder);
    Tenant acme = rota.tenants().get(unobserved.name());
    Span request = api.getTracer("http").spanBuilder("POST /orders").startSpan();
    try (Scope unused = request.makeCurrent();
        Connection connection = fixture.begin()) {
      acme.enqueue(TASK);
      acme.enqueueAll(List.of(TASK, TASK));
      acme.enqueueAsync(TASK).get();
      acme.enqueue(connection, TASK);
      connection.commit();
    } finally {
      request.end();
    }
    fixture.execute(
        "select rota.enqueue_with_headers('%s', 'email.send', '{}', '{\"traceparent\":\"00-%s-%s-01\"}')"
            .formatted(
                acme.name(),
                request.getSpanContext().getTraceId(),
                request.getSpanContext().getSpanId()));
    work(rota, 6);
    List<SpanData> enqueues = spansOf("enqueue email.send");
    assertThat(enqueues)
        .hasSize(4)
        .allSatisfy(
            span -> {
              assertThat(span.getKind()).isEqualTo(SpanKind.PRODUCER);
              assertThat(span.getParentSpanId()).isEqualTo(request.getSpanContext().getSpanId());
              assertThat(span.getAttributes().asMap())
                  .containsEntry(Conventions.SYSTEM, "rota")
                  .containsEntry(Conventions.OPERATION_NAME, "enqueue")
                  .containsEntry(Conventions.OPERATION_TYPE, "send")
                  .containsEntry(Conventions.DESTINATION, "email.send")
                  .containsEntry(Conventions.TENANT, acme.name());
            });
    assertThat(spansOf("process email.send"))
        .allSatisfy(
            span -> {
              assertThat(span.getKind()).isEqualTo(SpanKind.CONSUMER);
              assertThat(span.getTraceId()).isNotEqualTo(request.getSpanContext().getTraceId());
              assertThat(span.getLinks())
                  .singleElement()
                  .extracting(link -> link.getSpanContext().getTraceId())
                  .isEqualTo(request.getSpanContext().getTraceId());
              assertThat(span.getAttributes().get(Conventions.ATTEMPT)).isOne();
            })
        .extracting(span -> span.getLinks().get(0).getSpanContext().getSpanId())
        .contains(request.getSpanContext().getSpanId())
        .containsAll(enqueues.stream().map(SpanData::getSpanId).toList());
  }

  @Test
  void oneTraceHoldsRequestHandlerRetryAndNextStage() throws Exception {
    OpenTelemetry api = telemetry(Sampler.parentBased(Sampler.traceIdRatioBased(1)));
    Rota rota = rotaOf(api, builder -> builder.parents(true));
    Tracer inside = api.getTracer("application");
    Queue<String> baggage = new ConcurrentLinkedQueue<>();
    Pipeline mail = Pipeline.named("mail").stage("render").stage("send").build();
    Span request = inside.spanBuilder("POST /orders").startSpan();
    try (Scope unused = request.makeCurrent();
        Scope bagged = Baggage.builder().put("plan", "pro").build().makeCurrent()) {
      rota.tenants().get(unobserved.name()).enqueue(mail.task("{}"));
    } finally {
      request.end();
    }
    try (RotationDaemon daemon = RotationDaemon.start(rota);
        Worker worker =
            rota.worker()
                .stage(
                    mail,
                    "render",
                    task -> {
                      if (task.attempt() == 1) {
                        throw new IllegalStateException("no template");
                      }
                      inside.spanBuilder("inside").startSpan().end();
                      return StageResult.next("text");
                    })
                .stage(
                    mail,
                    "send",
                    task -> {
                      baggage.add(String.valueOf(Baggage.current().getEntryValue("plan")));
                      return StageResult.finish();
                    })
                .start()) {
      awaitSpans("process mail/send", 1);
    }
    assertThat(spans.getFinishedSpanItems())
        .extracting(SpanData::getTraceId)
        .containsOnly(request.getSpanContext().getTraceId());
    String enqueue = span("enqueue mail/render").getSpanId();
    List<SpanData> renders = spansOf("process mail/render");
    assertThat(renders).extracting(SpanData::getParentSpanId).containsExactly(enqueue, enqueue);
    assertThat(renders)
        .extracting(span -> span.getAttributes().get(Conventions.ATTEMPT))
        .containsExactly(1L, 2L);
    assertThat(renders.get(0).getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
    assertThat(renders.get(0).getStatus().getDescription()).contains("no template");
    assertThat(renders.get(0).getAttributes().get(Conventions.ERROR_TYPE))
        .isEqualTo(IllegalStateException.class.getName());
    assertThat(renders.get(1).getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
    assertThat(span("inside").getParentSpanId()).isEqualTo(renders.get(1).getSpanId());
    assertThat(span("process mail/send").getParentSpanId()).isEqualTo(enqueue);
    assertThat(baggage).containsExactly("pro");
  }

  @Test
  void aBatchHandlerLinksToAllItsTasks() throws Exception {
    OpenTelemetry api = telemetry(Sampler.alwaysOn());
    Rota rota = rotaOf(api, builder -> builder.parents(true));
    Tenant acme = rota.tenants().get(unobserved.name());
    acme.enqueue(TASK);
    acme.enqueue(TASK);
    unobserved.enqueue(TASK);
    try (Worker worker = rota.worker().handleBatch("email.send", tasks -> {}).start()) {
      Await.until("done", () -> worker.statistics().done(), 3);
    }
    List<LinkData> links =
        spansOf("process email.send").stream().flatMap(span -> span.getLinks().stream()).toList();
    assertThat(links)
        .extracting(link -> link.getSpanContext().getSpanId())
        .containsExactlyInAnyOrderElementsOf(
            spansOf("enqueue email.send").stream().map(SpanData::getSpanId).toList());
  }

  @Test
  void whatIsNotSampledLeavesNoTraceInATask() {
    Tenant acme = traced(telemetry(Sampler.alwaysOff()), builder -> builder);
    acme.enqueue(TASK);
    assertThat(unobserved.claim(1).tasks().get(0).headers()).isEmpty();
    assertThat(spans.getFinishedSpanItems()).isEmpty();
  }

  @Test
  void aHeaderOfTheTaskStaysAndLongBaggageIsLeftOut() {
    Tenant acme = traced(telemetry(Sampler.alwaysOn()), builder -> builder);
    acme.enqueue(TASK.withHeader("traceparent", "mine"));
    assertThat(unobserved.claim(1).tasks().get(0).headers())
        .containsExactly(entry("traceparent", "mine"));
    try (Scope unused = Baggage.builder().put("long", "x".repeat(2_000)).build().makeCurrent()) {
      acme.enqueue(TASK);
    }
    assertThat(unobserved.claim(1).tasks().get(0).headers()).containsOnlyKeys("traceparent");
    acme.enqueue(TASK.withHeader("own", "x".repeat(1_000)));
    assertThat(unobserved.claim(1).tasks().get(0).headers()).containsOnlyKeys("own");
  }

  @Test
  void aRefusedEnqueueEndsItsSpanWithTheError() {
    Tenant acme = traced(telemetry(Sampler.alwaysOn()), builder -> builder);
    assertThatThrownBy(() -> acme.enqueueAll(List.of(TASK, NewTask.of("other", "\u0000"))))
        .isInstanceOf(InvalidTaskException.class);
    SpanData failed = span("enqueue");
    assertThat(failed.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
    assertThat(failed.getAttributes().get(Conventions.BATCH_COUNT)).isEqualTo(2);
    assertThat(failed.getAttributes().get(Conventions.ERROR_TYPE))
        .isEqualTo(InvalidTaskException.class.getName());
  }

  @Test
  void metricsFollowTheConventions() {
    OpenTelemetry api = telemetry(Sampler.alwaysOff());
    Rota rota = rotaOf(api, builder -> builder);
    Tenant acme = rota.tenants().get(unobserved.name());
    acme.enqueueAll(List.of(TASK, TASK, NewTask.of("fails", "{}")));
    try (Worker worker =
        rota.worker()
            .handle("email.send", task -> {})
            .handle(
                "fails",
                task -> {
                  throw new IllegalStateException("so");
                })
            .start()) {
      Await.until("done", () -> worker.statistics().done(), 2);
      Await.until("failed", () -> worker.statistics().failed(), 1);
    }
    assertThat(sum("messaging.client.sent.messages", "email.send")).isEqualTo(2);
    assertThat(
            metric("messaging.client.consumed.messages").getLongSumData().getPoints().stream()
                .mapToLong(point -> point.getValue())
                .sum())
        .isEqualTo(3);
    assertThat(metric("messaging.client.operation.duration").getHistogramData().getPoints())
        .extracting(point -> point.getAttributes().get(Conventions.OPERATION_NAME))
        .contains("enqueue", "claim", "settle");
    assertThat(metric("messaging.process.duration").getUnit()).isEqualTo("s");
    assertThat(metric("messaging.process.duration").getHistogramData().getPoints())
        .extracting(point -> point.getAttributes())
        .contains(
            processed("email.send").build(),
            processed("fails")
                .put(Conventions.ERROR_TYPE, IllegalStateException.class.getName())
                .build());
  }

  private static AttributesBuilder processed(String kind) {
    return Attributes.builder()
        .put(Conventions.SYSTEM, "rota")
        .put(Conventions.OPERATION_NAME, "process")
        .put(Conventions.OPERATION_TYPE, "process")
        .put(Conventions.DESTINATION, kind);
  }

  private long sum(String name, String kind) {
    return metric(name).getLongSumData().getPoints().stream()
        .filter(point -> kind.equals(point.getAttributes().get(Conventions.DESTINATION)))
        .mapToLong(point -> point.getValue())
        .sum();
  }

  private MetricData metric(String name) {
    return metrics.collectAllMetrics().stream()
        .filter(metric -> metric.getName().equals(name))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void metricsCanBeLeftOut() {
    Tenant acme = traced(telemetry(Sampler.alwaysOn()), builder -> builder.metrics(false));
    acme.enqueue(TASK);
    assertThat(metrics.collectAllMetrics())
        .noneMatch(metric -> metric.getName().startsWith("messaging."));
    assertThat(
            span("enqueue email.send").getAttributes().get(AttributeKey.stringKey("rota.tenant")))
        .isEqualTo(acme.name());
  }
}
