package dev.rota.internal.worker;

import dev.rota.BatchHandler;
import dev.rota.Task;
import dev.rota.TaskHandler;
import dev.rota.TransactionalHandler;
import dev.rota.internal.settle.ClaimedTask;
import dev.rota.internal.settle.ClaimedTask.Outcome;
import java.sql.Connection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The handlers of a worker by kind. Immutable. */
public final class Handlers {

  private final Map<String, Handler> byKind;

  /** With the handlers by kind, in the order in which they were given. */
  public Handlers(Map<String, Handler> byKind) {
    this.byKind = Collections.unmodifiableMap(new LinkedHashMap<>(byKind));
  }

  /** Runs the tasks of one kind. */
  public sealed interface Handler {

    /** Runs tasks one by one. */
    static Handler single(TaskHandler handler) {
      return new Single(
          task -> {
            handler.handle(task);
            return Outcome.done(task);
          },
          false);
    }

    /** Runs a stage of a pipeline, one task at a time. */
    static Handler ofStage(SingleRun stage) {
      return new Single(stage, true);
    }

    /** Runs tasks of one tenant together. */
    static Handler several(BatchHandler handler) {
      return new Several(handler);
    }

    /** Runs tasks inside the claim's transaction. */
    static Handler transactional(TransactionalHandler handler) {
      return new Transactional(
          (task, connection) -> {
            handler.handle(task, connection);
            return Outcome.done(task);
          },
          false);
    }

    /** Runs a stage of a pipeline inside the claim's transaction. */
    static Handler ofStage(TransactionalRun stage) {
      return new Transactional(stage, true);
    }
  }

  private record Single(SingleRun run, boolean isStage) implements Handler {}

  private record Several(BatchHandler handler) implements Handler {}

  private record Transactional(TransactionalRun run, boolean isStage) implements Handler {}

  /** Runs one task, and tells what became of it unless it throws. */
  @FunctionalInterface
  public interface SingleRun {
    Outcome run(ClaimedTask task) throws Exception;
  }

  /** Runs one task in a transaction, and returns its outcome unless it throws. */
  @FunctionalInterface
  public interface TransactionalRun {
    Outcome run(ClaimedTask task, Connection connection) throws Exception;
  }

  /** The kinds that this worker can run. */
  Set<String> kinds() {
    return byKind.keySet();
  }

  boolean hasTransactional() {
    return byKind.values().stream().anyMatch(Transactional.class::isInstance);
  }

  boolean hasOthers() {
    return !byKind.values().stream().allMatch(Transactional.class::isInstance);
  }

  boolean hasStages() {
    return byKind.values().stream().anyMatch(Handlers::isStage);
  }

  private static boolean isStage(Handler handler) {
    return (handler instanceof Single single && single.isStage())
        || (handler instanceof Transactional transactional && transactional.isStage());
  }

  /** Whether tasks of a kind are handled together. */
  boolean handlesTogether(String kind) {
    return byKind.get(kind) instanceof Several;
  }

  @Nullable BatchHandler batchHandler(String kind) {
    return byKind.get(kind) instanceof Several several ? several.handler() : null;
  }

  SingleRun singleRun(Task task) {
    if (byKind.get(task.kind()) instanceof Single single) {
      return single.run();
    }
    throw noHandler(task);
  }

  TransactionalRun transactionalRun(Task task) {
    if (byKind.get(task.kind()) instanceof Transactional transactional) {
      return transactional.run();
    }
    throw noHandler(task);
  }

  private static IllegalStateException noHandler(Task task) {
    return new IllegalStateException(task + " was claimed without a handler for its kind");
  }
}
