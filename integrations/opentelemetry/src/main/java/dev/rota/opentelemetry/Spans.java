package dev.rota.opentelemetry;

import dev.rota.spi.TaskObserver.HandlerCall;
import dev.rota.spi.TaskObserver.TaskRun;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.context.propagation.TextMapPropagator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Begins and ends the spans of enqueues and of handlers. Thread-safe. */
final class Spans {

  /** How many characters of context a task takes along; longer baggage stays behind. */
  private static final int MOST_CHARACTERS = 768;

  private final Tracer tracer;
  private final TextMapPropagator propagator;
  private final boolean parents;
  private final Map<Thread, Running> running = new ConcurrentHashMap<>();

  /** The span of a handler, and the scope in which its thread is. */
  private record Running(Span span, Scope scope) {}

  /** Reads headers, whose names are as they were injected. */
  private enum Headers implements TextMapGetter<Map<String, String>> {
    GETTER;

    @Override
    @SuppressWarnings("deprecation") // Older versions of the API call it.
    public Iterable<String> keys(Map<String, String> headers) {
      return headers.keySet();
    }

    @Override
    public @Nullable String get(@Nullable Map<String, String> headers, String name) {
      return headers == null ? null : headers.get(name);
    }
  }

  Spans(OpenTelemetry openTelemetry, boolean parents) {
    this.tracer = openTelemetry.getTracer(Conventions.SCOPE);
    this.propagator = openTelemetry.getPropagators().getTextMapPropagator();
    this.parents = parents;
  }

  /** Begins the span of an enqueue, below the span of the calling thread if it has one. */
  Span beginEnqueue(String tenant, Map<String, Integer> kinds) {
    String kind = kinds.size() == 1 ? kinds.keySet().iterator().next() : null;
    SpanBuilder builder =
        tracer
            .spanBuilder(kind == null ? "enqueue" : "enqueue " + kind)
            .setSpanKind(SpanKind.PRODUCER);
    if (kind != null) {
      builder.setAttribute(Conventions.DESTINATION, kind);
    }
    Span span = builder.startSpan();
    if (span.isRecording()) {
      span.setAttribute(Conventions.SYSTEM, Conventions.ROTA);
      span.setAttribute(Conventions.OPERATION_NAME, "enqueue");
      span.setAttribute(Conventions.OPERATION_TYPE, "send");
      span.setAttribute(Conventions.TENANT, tenant);
      int tasks = kinds.values().stream().mapToInt(Integer::intValue).sum();
      if (tasks != 1) {
        span.setAttribute(Conventions.BATCH_COUNT, (long) tasks);
      }
    }
    return span;
  }

  /** The headers that carry the context of a span to handlers; none if it is not sampled. */
  Map<String, String> headers(Span span) {
    if (!span.getSpanContext().isSampled()) {
      return Map.of();
    }
    Map<String, String> headers = new HashMap<>();
    propagator.inject(Context.current().with(span), headers, Spans::put);
    return headers;
  }

  private static void put(@Nullable Map<String, String> headers, String name, String value) {
    if (headers != null && length(headers) + name.length() + value.length() <= MOST_CHARACTERS) {
      headers.put(name, value);
    }
  }

  private static int length(Map<String, String> headers) {
    return headers.entrySet().stream()
        .mapToInt(header -> header.getKey().length() + header.getValue().length())
        .sum();
  }

  /** Ends a span. */
  static void end(Span span, @Nullable Throwable error) {
    if (error != null) {
      span.setAttribute(Conventions.ERROR_TYPE, Conventions.typeOf(error));
      span.setStatus(StatusCode.ERROR, String.valueOf(error.getMessage()));
    }
    span.end();
  }

  /** Begins the span of a handler, and binds it to the thread, if a task carries a context. */
  @SuppressWarnings("MustBeClosedChecker") // end(String) closes the scope.
  void begin(HandlerCall call) {
    if (!hasHeaders(call)) {
      return;
    }
    List<Context> origins =
        call.runs().stream()
            .map(TaskRun::headers)
            .filter(headers -> !headers.isEmpty())
            .map(this::extracted)
            .filter(Spans::isValid)
            .toList();
    if (origins.isEmpty()) {
      return;
    }
    SpanBuilder builder =
        tracer.spanBuilder("process " + call.kind()).setSpanKind(SpanKind.CONSUMER);
    boolean below = parents && call.runs().size() == 1;
    // Baggage reaches the handler in both cases.
    Context origin = origins.get(0);
    if (below) {
      builder.setParent(origin);
    } else {
      builder.setNoParent();
      origins.forEach(each -> builder.addLink(contextOf(each)));
    }
    Span span = withAttributes(builder, call).startSpan();
    running.put(Thread.currentThread(), new Running(span, origin.with(span).makeCurrent()));
  }

  /** Whether any task has headers; most have none, and this is called for all of them. */
  private static boolean hasHeaders(HandlerCall call) {
    for (TaskRun run : call.runs()) {
      if (!run.headers().isEmpty()) {
        return true;
      }
    }
    return false;
  }

  private static SpanBuilder withAttributes(SpanBuilder builder, HandlerCall call) {
    builder
        .setAttribute(Conventions.SYSTEM, Conventions.ROTA)
        .setAttribute(Conventions.OPERATION_NAME, "process")
        .setAttribute(Conventions.OPERATION_TYPE, "process")
        .setAttribute(Conventions.DESTINATION, call.kind())
        .setAttribute(Conventions.TENANT, call.tenant());
    if (call.runs().size() > 1) {
      return builder.setAttribute(Conventions.BATCH_COUNT, (long) call.runs().size());
    }
    TaskRun run = call.runs().get(0);
    return builder
        .setAttribute(Conventions.MESSAGE_ID, Long.toString(run.task()))
        .setAttribute(Conventions.ATTEMPT, (long) run.attempt());
  }

  private Context extracted(Map<String, String> headers) {
    return propagator.extract(Context.root(), headers, Headers.GETTER);
  }

  private static boolean isValid(Context context) {
    return contextOf(context).isValid();
  }

  private static SpanContext contextOf(Context context) {
    return Span.fromContext(context).getSpanContext();
  }

  /** Ends the span of the handler that has returned on this thread. */
  void end(@Nullable String error) {
    Running ended = running.remove(Thread.currentThread());
    if (ended == null) {
      return;
    }
    ended.scope.close();
    if (error != null) {
      ended.span.setAttribute(Conventions.ERROR_TYPE, Conventions.typeOf(error));
      ended.span.setStatus(StatusCode.ERROR, error.lines().findFirst().orElse(""));
    }
    ended.span.end();
  }
}
