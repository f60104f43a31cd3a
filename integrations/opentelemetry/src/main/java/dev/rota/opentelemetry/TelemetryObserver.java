package dev.rota.opentelemetry;

import dev.rota.opentelemetry.Instruments.Operation;
import dev.rota.spi.TaskObserver;
import io.opentelemetry.api.trace.Span;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Turns what happens to tasks into spans and metrics. Thread-safe. */
final class TelemetryObserver implements TaskObserver {

  private final Spans spans;
  private final @Nullable Instruments instruments;
  private final Map<Thread, Long> begunAt = new ConcurrentHashMap<>();

  /** With instruments for metrics, or null for none. */
  TelemetryObserver(Spans spans, @Nullable Instruments instruments) {
    this.spans = spans;
    this.instruments = instruments;
  }

  @Override
  public EnqueueTrace enqueuing(String tenant, Map<String, Integer> kinds, EnqueuePath path) {
    Span span = spans.beginEnqueue(tenant, kinds);
    Map<String, String> headers = spans.headers(span);
    return new EnqueueTrace() {
      @Override
      public Map<String, String> headers() {
        return headers;
      }

      @Override
      public void ended(@Nullable Throwable error) {
        Spans.end(span, error);
      }
    };
  }

  @Override
  public void enqueued(Enqueued enqueued) {
    if (instruments != null) {
      Throwable error = enqueued.error();
      String type = error == null ? null : Conventions.typeOf(error);
      instruments.operated(Operation.ENQUEUE, enqueued.nanos(), type);
      instruments.sent(enqueued.kinds());
    }
  }

  @Override
  public void claimed(Claimed claimed) {
    if (instruments != null) {
      String type = Conventions.otherIf(claimed.failed());
      instruments.operated(Operation.CLAIM, claimed.nanos(), type);
      instruments.consumed(claimed.tasks());
    }
  }

  @Override
  public void settled(Settled settled) {
    if (instruments != null) {
      String type = Conventions.otherIf(settled.failed());
      instruments.operated(Operation.SETTLE, settled.nanos(), type);
    }
  }

  /** Spans are for tasks that carry a context, the metrics for all. */
  @Override
  public HandlerCalls handlerCalls() {
    return instruments == null ? HandlerCalls.WITH_HEADERS : HandlerCalls.ALL;
  }

  @Override
  public boolean endedAttempts() {
    return false;
  }

  @Override
  public void begun(HandlerCall call) {
    if (instruments != null) {
      begunAt.put(Thread.currentThread(), System.nanoTime());
    }
    spans.begin(call);
  }

  @Override
  public void returned(HandlerCall call, @Nullable String error) {
    spans.end(error);
    Long since = instruments == null ? null : begunAt.remove(Thread.currentThread());
    if (instruments != null && since != null) {
      String type = error == null ? null : Conventions.typeOf(error);
      instruments.processed(call.kind(), System.nanoTime() - since, type);
    }
  }
}
