package dev.rota.opentelemetry;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.metrics.DoubleHistogram;
import io.opentelemetry.api.metrics.LongCounter;
import io.opentelemetry.api.metrics.Meter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The metrics of the conventions. Times are in seconds. Thread-safe. */
final class Instruments {

  private static final double NANOS = 1e9;

  private static final List<Double> BUCKETS =
      List.of(0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0);

  private final LongCounter sent;
  private final LongCounter consumed;
  private final DoubleHistogram operations;
  private final DoubleHistogram processed;

  /** One call of the library. */
  @SuppressWarnings("ImmutableEnumChecker") // Attributes are immutable, and not marked so.
  enum Operation {
    ENQUEUE("send"),
    CLAIM("receive"),
    SETTLE("settle");

    private final Attributes attributes;

    Operation(String type) {
      this.attributes = attributesOf(name().toLowerCase(Locale.ROOT), type);
    }
  }

  Instruments(OpenTelemetry openTelemetry) {
    Meter meter = openTelemetry.getMeter(Conventions.SCOPE);
    this.sent = counter(meter, "messaging.client.sent.messages", "Tasks enqueued");
    this.consumed = counter(meter, "messaging.client.consumed.messages", "Tasks claimed");
    this.operations =
        histogram(meter, "messaging.client.operation.duration", "Time of enqueue, claim, settle");
    this.processed = histogram(meter, "messaging.process.duration", "Time of a handler");
  }

  private static LongCounter counter(Meter meter, String name, String description) {
    return meter.counterBuilder(name).setUnit("{message}").setDescription(description).build();
  }

  private static DoubleHistogram histogram(Meter meter, String name, String description) {
    return meter
        .histogramBuilder(name)
        .setUnit("s")
        .setDescription(description)
        .setExplicitBucketBoundariesAdvice(BUCKETS)
        .build();
  }

  private static Attributes attributesOf(String name, String type) {
    return Attributes.of(
        Conventions.SYSTEM,
        Conventions.ROTA,
        Conventions.OPERATION_NAME,
        name,
        Conventions.OPERATION_TYPE,
        type);
  }

  /** Records tasks that were enqueued, by their kinds. */
  void sent(Map<String, Integer> kinds) {
    kinds.forEach((kind, tasks) -> sent.add(tasks, of(Operation.ENQUEUE.attributes, kind, null)));
  }

  /** Records tasks that were claimed; a claim takes tasks of several kinds. */
  void consumed(int tasks) {
    if (tasks > 0) {
      consumed.add(tasks, Operation.CLAIM.attributes);
    }
  }

  /** Records how long an operation took. */
  void operated(Operation operation, long nanos, @Nullable String error) {
    operations.record(nanos / NANOS, of(operation.attributes, null, error));
  }

  /** Records how long a handler ran. */
  void processed(String kind, long nanos, @Nullable String error) {
    processed.record(nanos / NANOS, of(attributesOf("process", "process"), kind, error));
  }

  private static Attributes of(Attributes all, @Nullable String kind, @Nullable String error) {
    if (kind == null && error == null) {
      return all;
    }
    AttributesBuilder attributes = all.toBuilder();
    if (kind != null) {
      attributes.put(Conventions.DESTINATION, kind);
    }
    if (error != null) {
      attributes.put(Conventions.ERROR_TYPE, error);
    }
    return attributes.build();
  }
}
