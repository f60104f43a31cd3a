package dev.rota.opentelemetry;

import dev.rota.Rota;
import dev.rota.spi.TaskObserver;
import io.opentelemetry.api.OpenTelemetry;

/**
 * Traces tasks with OpenTelemetry, and measures them, by its semantic conventions for messaging.
 * Thread-safe.
 *
 * <pre>{@code
 * RotaTelemetry telemetry = RotaTelemetry.builder(openTelemetry).build();
 * Rota rota = Rota.builder(dataSource).observer(telemetry.observer()).build();
 * }</pre>
 *
 * <p>An enqueue has a span of kind PRODUCER. If it is sampled, its context goes with the tasks as
 * headers. Each call of a handler with such a task has a span of kind CONSUMER that links to the
 * span of the enqueue, as do retries and later stages of a pipeline. Tasks without such a header
 * have no span.
 */
public final class RotaTelemetry {

  private final TaskObserver observer;

  private RotaTelemetry(TaskObserver observer) {
    this.observer = observer;
  }

  /**
   * Builds telemetry with the tracers, meters and propagators of an application.
   *
   * @param openTelemetry the API, which is not closed
   * @return a builder
   */
  public static Builder builder(OpenTelemetry openTelemetry) {
    return new Builder(openTelemetry);
  }

  /** Sets what is traced and measured. Not thread-safe. */
  public static final class Builder {
    private final OpenTelemetry openTelemetry;
    private boolean parents;
    private boolean metrics = true;

    private Builder(OpenTelemetry openTelemetry) {
      this.openTelemetry = openTelemetry;
    }

    /**
     * Sets whether the span of an enqueue is the parent of the handler's span, so that both are in
     * one trace; false by default, which links them. A call of a batch handler with several tasks
     * always links.
     *
     * @param on true for parents
     * @return this builder
     */
    public Builder parents(boolean on) {
      parents = on;
      return this;
    }

    /**
     * Sets whether the metrics of the conventions are recorded; true by default.
     *
     * @param on false for traces alone, such as beside {@code rota-micrometer}
     * @return this builder
     */
    public Builder metrics(boolean on) {
      metrics = on;
      return this;
    }

    /**
     * Creates the instruments.
     *
     * @return the telemetry
     */
    public RotaTelemetry build() {
      Spans spans = new Spans(openTelemetry, parents);
      return new RotaTelemetry(
          new TelemetryObserver(spans, metrics ? new Instruments(openTelemetry) : null));
    }
  }

  /**
   * The observer for {@link Rota.Builder#observer}.
   *
   * @return the observer, the same at each call
   */
  public TaskObserver observer() {
    return observer;
  }
}
