package dev.rota.benchmarks.rivals;

import dev.rota.Rota;
import dev.rota.micrometer.RotaMetrics;
import dev.rota.opentelemetry.RotaTelemetry;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.sql.SQLException;

/** All contenders by their names. */
public final class Contenders {

  private static final Floor.Manner ALONE = new Floor.Manner(1, true);
  private static final Floor.Manner TWELVE = new Floor.Manner(12, true);
  private static final Floor.Manner FIFTY = new Floor.Manner(50, true);
  private static final Floor.Manner FIFTY_ONE_BY_ONE = new Floor.Manner(50, false);

  private Contenders() {}

  /**
   * Whether a contender uses Rota's tables, so that they may exist before it is opened.
   *
   * @param name its name
   * @return true for Rota itself and for the floor
   */
  public static boolean usesRotaTables(String name) {
    return name.startsWith("rota")
        || name.startsWith("floor")
        || name.equals("copy")
        || name.equals("values");
  }

  /**
   * Opens a contender.
   *
   * @param name its name, a value of the benchmarks' parameter {@code contender}
   * @param jdbcUrl a new database
   * @param workload its workload
   * @return the contender, to be closed by the caller
   * @throws SQLException if it cannot create its tables
   * @throws IllegalArgumentException if no contender has this name
   */
  public static Contender open(String name, String jdbcUrl, RivalWorkload workload)
      throws SQLException {
    return switch (name) {
      case "rota" -> new RotaContender(jdbcUrl, workload, false, builder -> builder);
      case "rotaBlocking" -> new RotaContender(jdbcUrl, workload, true, builder -> builder);
      case "rotaMicrometer" ->
          new RotaContender(jdbcUrl, workload, false, Contenders::withMicrometer);
      case "rotaTracing" -> new RotaContender(jdbcUrl, workload, false, Contenders::withTracing);
      case "rotaQuota" ->
          new RotaContender(jdbcUrl, workload, false, builder -> builder).withQuota();
      case "floor" ->
          new Floor(jdbcUrl, workload, Floor.Manner.fastest(workload), FloorInsert::new);
      case "floorOneTenant" -> new Floor(jdbcUrl, workload, ALONE, FloorInsert::new);
      case "floorTwelveTenants" -> new Floor(jdbcUrl, workload, TWELVE, FloorInsert::new);
      case "floorFiftyTenants" -> new Floor(jdbcUrl, workload, FIFTY, FloorInsert::new);
      case "floorOneByOne" -> new Floor(jdbcUrl, workload, FIFTY_ONE_BY_ONE, FloorInsert::new);
      case "copy" -> new Floor(jdbcUrl, workload, ALONE, FloorCopy::new);
      case "values" -> new Floor(jdbcUrl, workload, ALONE, FloorValues::new);
      case "original" -> new OriginalFunctions(jdbcUrl, workload);
      case "skipLocked" -> new SkipLockedQueue(jdbcUrl, workload, 1);
      case "skipLockedBatch" -> new SkipLockedQueue(jdbcUrl, workload, workload.batch());
      case "dbScheduler" -> new DbScheduler(jdbcUrl, workload);
      case "graphileWorker" -> new GraphileWorker(jdbcUrl, workload);
      default -> throw new IllegalArgumentException("there is no contender " + name);
    };
  }

  /** With the metrics that an application would scrape. */
  private static Rota.Builder withMicrometer(Rota.Builder builder) {
    MeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    return builder.observer(RotaMetrics.builder(registry).build().observer());
  }

  /** With traces of one enqueue in a hundred, whose export costs nothing. */
  private static Rota.Builder withTracing(Rota.Builder builder) {
    SdkTracerProvider tracers =
        SdkTracerProvider.builder()
            .setSampler(Sampler.parentBased(Sampler.traceIdRatioBased(0.01)))
            .addSpanProcessor(BatchSpanProcessor.builder(SpanExporter.composite()).build())
            .build();
    OpenTelemetry openTelemetry =
        OpenTelemetrySdk.builder()
            .setTracerProvider(tracers)
            .setPropagators(ContextPropagators.create(W3CTraceContextPropagator.getInstance()))
            .build();
    return builder.observer(
        RotaTelemetry.builder(openTelemetry).parents(true).metrics(false).build().observer());
  }
}
