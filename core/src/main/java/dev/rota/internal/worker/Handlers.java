package dev.rota.internal.worker;

import dev.rota.BatchHandler;
import dev.rota.Task;
import dev.rota.TaskHandler;
import dev.rota.TransactionalHandler;
import dev.rota.internal.settle.ClaimedTask;
import dev.rota.internal.settle.Outcome;
import dev.rota.internal.text.SafeText;
import java.sql.Connection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The handlers of a worker by kind. Filled by the builder, then never changed. */
public final class Handlers {

  private final Map<String, SingleRun> single = new LinkedHashMap<>();
  private final Map<String, BatchHandler> batch = new LinkedHashMap<>();
  private final Map<String, TransactionalRun> transactional = new LinkedHashMap<>();
  private boolean hasStages;

  Handlers() {}

  Handlers(Handlers other) {
    single.putAll(other.single);
    batch.putAll(other.batch);
    transactional.putAll(other.transactional);
    hasStages = other.hasStages;
  }

  /** Runs one task, and tells what became of it unless it throws. */
  @FunctionalInterface
  public interface SingleRun {
    Outcome run(ClaimedTask task) throws Exception;
  }

  /** The same, in a transaction. */
  @FunctionalInterface
  public interface TransactionalRun {
    Outcome run(ClaimedTask task, Connection connection) throws Exception;
  }

  public void addSingle(String kind, TaskHandler handler) {
    refuseSecond(kind);
    single.put(
        kind,
        task -> {
          handler.handle(task);
          return Outcome.done(task);
        });
  }

  public void addStage(String kind, SingleRun stage) {
    refuseSecond(kind);
    hasStages = true;
    single.put(kind, stage);
  }

  public void addBatch(String kind, BatchHandler handler) {
    refuseSecond(kind);
    batch.put(kind, handler);
  }

  public void addTransactional(String kind, TransactionalHandler handler) {
    refuseSecond(kind);
    transactional.put(
        kind,
        (task, connection) -> {
          handler.handle(task, connection);
          return Outcome.done(task);
        });
  }

  public void addTransactionalStage(String kind, TransactionalRun stage) {
    refuseSecond(kind);
    hasStages = true;
    transactional.put(kind, stage);
  }

  /** The kinds that this worker can run. */
  Set<String> kinds() {
    Set<String> kinds = new LinkedHashSet<>(single.keySet());
    kinds.addAll(batch.keySet());
    kinds.addAll(transactional.keySet());
    return kinds;
  }

  boolean hasTransactional() {
    return !transactional.isEmpty();
  }

  boolean hasOthers() {
    return !single.isEmpty() || !batch.isEmpty();
  }

  boolean hasStages() {
    return hasStages;
  }

  @Nullable BatchHandler batchHandler(String kind) {
    return batch.get(kind);
  }

  SingleRun singleRun(Task task) {
    return found(single.get(task.kind()), task);
  }

  TransactionalRun transactionalRun(Task task) {
    return found(transactional.get(task.kind()), task);
  }

  private static <H> H found(@Nullable H handler, Task task) {
    if (handler == null) {
      throw new IllegalStateException(task + " was claimed without a handler for its kind");
    }
    return handler;
  }

  private void refuseSecond(String kind) {
    if (kinds().contains(kind)) {
      throw new IllegalArgumentException("kind '" + SafeText.of(kind) + "' has a handler already");
    }
  }
}
