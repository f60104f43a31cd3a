package dev.rota.internal;

import dev.rota.BatchHandler;
import dev.rota.DeliveryMode;
import dev.rota.RetryPolicy;
import dev.rota.TaskHandler;
import dev.rota.TransactionalHandler;
import dev.rota.Worker;
import dev.rota.admin.internal.Preflight;
import dev.rota.internal.config.RotaConfig;
import dev.rota.internal.enqueue.DaemonWatch;
import dev.rota.internal.tenant.Kinds;
import dev.rota.internal.worker.WorkerConfig;
import dev.rota.pipeline.Pipeline;
import dev.rota.pipeline.StageHandler;
import dev.rota.pipeline.TransactionalStageHandler;
import dev.rota.pipeline.internal.StageTransition;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutorService;

/** Builds workers. */
public final class WorkerFactory {

  private WorkerFactory() {}

  /** A builder whose workers register themselves among those of their Rota. */
  public static Worker.Builder builder(
      Kernel kernel, Preflight preflight, DaemonWatch daemonWatch, Set<Worker> siblings) {
    return new WorkerBuilder(kernel, preflight, daemonWatch, siblings);
  }

  /** Less would be one task at a time. */
  private static final long LEAST_HELD = 1L << 20;

  private static final class WorkerBuilder implements Worker.Builder {
    private final Kernel kernel;
    private final Preflight preflight;
    private final DaemonWatch daemonWatch;
    private final Set<Worker> siblings;
    private final WorkerConfig settings;
    private final StageTransition moves;

    WorkerBuilder(
        Kernel kernel, Preflight preflight, DaemonWatch daemonWatch, Set<Worker> siblings) {
      this.kernel = kernel;
      this.preflight = preflight;
      this.daemonWatch = daemonWatch;
      this.siblings = siblings;
      this.settings = new WorkerConfig(kernel.settings());
      this.moves = new StageTransition(kernel.settings());
    }

    @Override
    public Worker.Builder handle(String kind, TaskHandler handler) {
      Kinds.check(kind);
      settings.handlers().addSingle(kind, given("handler", handler));
      return this;
    }

    @Override
    public Worker.Builder handleBatch(String kind, BatchHandler handler) {
      Kinds.check(kind);
      settings.handlers().addBatch(kind, given("handler", handler));
      return this;
    }

    @Override
    public Worker.Builder handleInTransaction(String kind, TransactionalHandler handler) {
      Kinds.check(kind);
      settings.handlers().addTransactional(kind, given("handler", handler));
      return this;
    }

    @Override
    public Worker.Builder stage(Pipeline pipeline, String stage, StageHandler handler) {
      given("handler", handler);
      settings
          .handlers()
          .addStage(
              pipeline.kind(stage), task -> moves.outcome(task, pipeline, handler.handle(task)));
      return this;
    }

    @Override
    public Worker.Builder stageInTransaction(
        Pipeline pipeline, String stage, TransactionalStageHandler handler) {
      given("handler", handler);
      settings
          .handlers()
          .addTransactionalStage(
              pipeline.kind(stage),
              (task, connection) ->
                  moves.outcome(task, pipeline, handler.handle(task, connection)));
      return this;
    }

    @Override
    public Worker.Builder delivery(DeliveryMode mode) {
      settings.mode(given("delivery", mode));
      return this;
    }

    @Override
    public Worker.Builder concurrency(int handlers) {
      settings.concurrency((int) RotaConfig.within("concurrency", handlers, 1, 10_000));
      return this;
    }

    @Override
    public Worker.Builder headroom(int handlers) {
      settings.headroom((int) RotaConfig.within("headroom", handlers, 0, 9_999));
      return this;
    }

    @Override
    public Worker.Builder concurrency(String kind, int handlers) {
      Kinds.check(kind);
      settings
          .rules()
          .concurrency(kind, (int) RotaConfig.within("concurrency", handlers, 1, 10_000));
      return this;
    }

    @Override
    public Worker.Builder executor(ExecutorService executor) {
      settings.executor(given("executor", executor));
      return this;
    }

    @Override
    public Worker.Builder heldBytes(long bytes) {
      settings.heldBytes(RotaConfig.within("heldBytes", bytes, LEAST_HELD, Long.MAX_VALUE));
      return this;
    }

    @Override
    public Worker.Builder batchSize(int tasks) {
      settings.batchSize((int) RotaConfig.within("batchSize", tasks, 1, 10_000));
      return this;
    }

    @Override
    public Worker.Builder retry(RetryPolicy policy) {
      settings.rules().retry(given("retry", policy));
      return this;
    }

    @Override
    public Worker.Builder retry(String kind, RetryPolicy policy) {
      Kinds.check(kind);
      settings.rules().retry(kind, given("retry", policy));
      return this;
    }

    @Override
    public Worker.Builder timeLimit(String kind, Duration limit) {
      Kinds.check(kind);
      settings
          .rules()
          .timeLimit(
              kind,
              RotaConfig.within("timeLimit", limit, Duration.ofMillis(1), Duration.ofDays(30)));
      return this;
    }

    @Override
    public Worker.Builder pollInterval(Duration interval) {
      settings.pollInterval(
          RotaConfig.within(
              "pollInterval", interval, Duration.ofMillis(1), Duration.ofMinutes(10)));
      return this;
    }

    @Override
    public Worker.Builder hourlyStatistics(boolean on) {
      settings.hourlyStatistics(on);
      return this;
    }

    private static <T> T given(String option, T value) {
      return Objects.requireNonNull(value, option + " is null; give one, or leave it out");
    }

    @Override
    public Worker start() {
      WorkerConfig copy = settings.copy();
      copy.validate();
      DefaultWorker worker = new DefaultWorker(kernel, preflight, daemonWatch, copy, siblings);
      worker.start();
      return worker;
    }
  }
}
