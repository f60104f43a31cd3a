package dev.rota.internal;

import dev.rota.internal.payload.PayloadFormat;
import dev.rota.internal.worker.Handlers.Handler;
import dev.rota.pipeline.Pipeline;
import dev.rota.pipeline.TypedStageHandler;
import dev.rota.pipeline.TypedTransactionalStageHandler;
import dev.rota.pipeline.internal.StageTransition;
import dev.rota.typed.Kind;
import dev.rota.typed.TypedBatchHandler;
import dev.rota.typed.TypedHandler;
import dev.rota.typed.TypedTransactionalHandler;
import dev.rota.typed.internal.PayloadReader;
import dev.rota.typed.internal.ReadingBatchHandler;
import dev.rota.typed.internal.TaskInterface;
import dev.rota.typed.internal.TaskMethod;
import java.util.LinkedHashMap;
import java.util.Map;

/** Turns handlers of values into handlers of tasks, which read the payload first. Thread-safe. */
final class TypedHandlers {

  private final PayloadFormat payloads;
  private final StageTransition moves;

  TypedHandlers(PayloadFormat payloads, StageTransition moves) {
    this.payloads = payloads;
    this.moves = moves;
  }

  <T> Handler single(Kind<T> kind, TypedHandler<? super T> handler) {
    PayloadReader<T> reader = PayloadReader.of(kind, payloads);
    return Handler.single(task -> handler.handle(reader.read(task), task));
  }

  <T> Handler several(Kind<T> kind, TypedBatchHandler<T> handler) {
    return Handler.several(new ReadingBatchHandler<>(PayloadReader.of(kind, payloads), handler));
  }

  <T> Handler transactional(Kind<T> kind, TypedTransactionalHandler<? super T> handler) {
    PayloadReader<T> reader = PayloadReader.of(kind, payloads);
    return Handler.transactional(
        (task, connection) -> handler.handle(reader.read(task), task, connection));
  }

  /** The handlers of an interface: each calls a method of the service. */
  <I> Map<Kind<?>, Handler> calls(Class<I> tasks, I service) {
    Map<Kind<?>, Handler> calls = new LinkedHashMap<>();
    for (TaskMethod method : TaskInterface.of(tasks).methods()) {
      calls.put(method.kind(), Handler.single(method.handler(service, payloads)));
    }
    return calls;
  }

  <T> Handler ofStage(Pipeline pipeline, Kind<T> kind, TypedStageHandler<? super T> handler) {
    String stage = StageTransition.stageOf(pipeline, kind.name());
    PayloadReader<T> reader = PayloadReader.of(kind, payloads);
    return Handler.ofStage(
        task -> moves.outcome(task, pipeline, stage, handler.handle(reader.read(task), task)));
  }

  <T> Handler ofStage(
      Pipeline pipeline, Kind<T> kind, TypedTransactionalStageHandler<? super T> handler) {
    String stage = StageTransition.stageOf(pipeline, kind.name());
    PayloadReader<T> reader = PayloadReader.of(kind, payloads);
    return Handler.ofStage(
        (task, connection) ->
            moves.outcome(
                task, pipeline, stage, handler.handle(reader.read(task), task, connection)));
  }
}
