package dev.rota.internal;

import static dev.rota.internal.config.RotaConfig.given;
import static dev.rota.internal.config.RotaConfig.within;

import dev.rota.BatchHandler;
import dev.rota.DeliveryMode;
import dev.rota.RetryPolicy;
import dev.rota.TaskHandler;
import dev.rota.TransactionalHandler;
import dev.rota.Worker;
import dev.rota.admin.internal.Preflight;
import dev.rota.internal.enqueue.DaemonWatch;
import dev.rota.internal.settle.ClaimedTask;
import dev.rota.internal.tenant.TaskValidator;
import dev.rota.internal.text.SafeText;
import dev.rota.internal.worker.Handlers;
import dev.rota.internal.worker.Handlers.Handler;
import dev.rota.internal.worker.InlineRun;
import dev.rota.internal.worker.WorkerConfig;
import dev.rota.internal.worker.WorkerConfig.KindSettings;
import dev.rota.limits.Limits;
import dev.rota.pipeline.Pipeline;
import dev.rota.pipeline.StageHandler;
import dev.rota.pipeline.TransactionalStageHandler;
import dev.rota.pipeline.TypedStageHandler;
import dev.rota.pipeline.TypedTransactionalStageHandler;
import dev.rota.pipeline.internal.StageTransition;
import dev.rota.typed.Kind;
import dev.rota.typed.TypedBatchHandler;
import dev.rota.typed.TypedHandler;
import dev.rota.typed.TypedTransactionalHandler;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Builds workers: holds their settings until then, and checks each against its bounds. */
public final class WorkerBuilder implements Worker.Builder {

  /** Less would be one task at a time. */
  private static final long LEAST_HELD = 1L << 20;

  /** By default one handler of so many is kept from long tasks. */
  private static final int HANDLERS_OF_ONE = 16;

  private static final int LEAST_WITH_HEADROOM = 8;

  private final Kernel kernel;
  private final Preflight preflight;
  private final DaemonWatch daemonWatch;
  private final OpenWorkers siblings;
  private final StageTransition moves;
  private final TypedHandlers typed;
  private final Map<String, Handler> handlers = new LinkedHashMap<>();
  private final Map<String, RetryPolicy> retries = new HashMap<>();
  private final Map<String, Duration> timeLimits = new HashMap<>();
  private final Map<String, Integer> concurrencies = new LinkedHashMap<>();
  private final Map<String, List<String>> formerNames = new HashMap<>();
  private RetryPolicy retry;
  private DeliveryMode mode = DeliveryMode.LEASED;
  private int concurrency = Runtime.getRuntime().availableProcessors();
  private @Nullable Integer headroom;
  private @Nullable ExecutorService executor;
  private boolean hourlyStatistics;
  private int batchSize = 1_000;
  private long heldBytes = Math.max(Runtime.getRuntime().maxMemory() / 4, LEAST_HELD);
  private Duration pollInterval = Duration.ofMillis(100);
  private Set<String> pools = Set.of(Limits.DEFAULT_POOL);
  private int shards = WorkerConfig.Claiming.ALL_WORKERS;

  /** For workers that start and end among those of their Rota. */
  WorkerBuilder(Kernel kernel, Preflight preflight, DaemonWatch daemonWatch, OpenWorkers siblings) {
    this.kernel = kernel;
    this.preflight = preflight;
    this.daemonWatch = daemonWatch;
    this.siblings = siblings;
    this.moves = new StageTransition(kernel.settings().tasks());
    this.typed = new TypedHandlers(kernel.settings().tasks().payloads(), moves);
    this.retry = kernel.settings().tasks().retry();
  }

  /** The settings of a worker, for tests that run one by hand. */
  public static WorkerConfig configOf(Worker.Builder builder) {
    return ((WorkerBuilder) builder).config();
  }

  @Override
  public Worker.Builder handle(String kind, TaskHandler handler) {
    TaskValidator.checkKind(kind);
    return add(kind, Handler.single(given("handler", handler)));
  }

  @Override
  public Worker.Builder handleBatch(String kind, BatchHandler handler) {
    TaskValidator.checkKind(kind);
    return add(kind, Handler.several(given("handler", handler)));
  }

  @Override
  public Worker.Builder handleInTransaction(String kind, TransactionalHandler handler) {
    TaskValidator.checkKind(kind);
    return add(kind, Handler.transactional(given("handler", handler)));
  }

  @Override
  public Worker.Builder stage(Pipeline pipeline, String stage, StageHandler handler) {
    given("handler", handler);
    return add(
        pipeline.kind(stage),
        Handler.ofStage(task -> moves.outcome(task, pipeline, stage, handler.handle(task))));
  }

  @Override
  public Worker.Builder stageInTransaction(
      Pipeline pipeline, String stage, TransactionalStageHandler handler) {
    given("handler", handler);
    return add(
        pipeline.kind(stage),
        Handler.ofStage(
            (task, connection) ->
                moves.outcome(task, pipeline, stage, handler.handle(task, connection))));
  }

  @Override
  public <T> Worker.Builder handle(Kind<T> kind, TypedHandler<? super T> handler) {
    return add(kind, typed.single(kind, given("handler", handler)));
  }

  @Override
  public <T> Worker.Builder handleBatch(Kind<T> kind, TypedBatchHandler<T> handler) {
    return add(kind, typed.several(kind, given("handler", handler)));
  }

  @Override
  public <T> Worker.Builder handleInTransaction(
      Kind<T> kind, TypedTransactionalHandler<? super T> handler) {
    return add(kind, typed.transactional(kind, given("handler", handler)));
  }

  @Override
  public <I> Worker.Builder handle(Class<I> tasks, I service) {
    typed.calls(tasks, given("service", service)).forEach(this::add);
    return this;
  }

  @Override
  public <T> Worker.Builder stage(
      Pipeline pipeline, Kind<T> stage, TypedStageHandler<? super T> handler) {
    return add(stage, typed.ofStage(pipeline, stage, given("handler", handler)));
  }

  @Override
  public <T> Worker.Builder stageInTransaction(
      Pipeline pipeline, Kind<T> stage, TypedTransactionalStageHandler<? super T> handler) {
    return add(stage, typed.ofStage(pipeline, stage, given("handler", handler)));
  }

  private Worker.Builder add(Kind<?> kind, Handler handler) {
    TaskValidator.checkKind(kind.name());
    kind.formerNames().forEach(TaskValidator::checkKind);
    add(kind.name(), handler);
    kind.formerNames().forEach(name -> add(name, handler));
    formerNames.put(kind.name(), kind.formerNames());
    return this;
  }

  private Worker.Builder add(String kind, Handler handler) {
    if (handlers.putIfAbsent(kind, handler) != null) {
      throw new IllegalArgumentException("kind '" + SafeText.of(kind) + "' has a handler already");
    }
    return this;
  }

  @Override
  public Worker.Builder delivery(DeliveryMode value) {
    mode = given("delivery", value);
    return this;
  }

  @Override
  public Worker.Builder concurrency(int number) {
    concurrency = (int) within("concurrency", number, 1, 10_000);
    return this;
  }

  @Override
  public Worker.Builder headroom(int number) {
    headroom = (int) within("headroom", number, 0, 9_999);
    return this;
  }

  @Override
  public Worker.Builder concurrency(String kind, int number) {
    TaskValidator.checkKind(kind);
    concurrencies.put(kind, (int) within("concurrency", number, 1, 10_000));
    return this;
  }

  @Override
  public Worker.Builder executor(ExecutorService supplied) {
    executor = given("executor", supplied);
    return this;
  }

  @Override
  public Worker.Builder heldBytes(long bytes) {
    heldBytes = within("heldBytes", bytes, LEAST_HELD, Long.MAX_VALUE);
    return this;
  }

  @Override
  public Worker.Builder batchSize(int tasks) {
    batchSize = (int) within("batchSize", tasks, 1, 10_000);
    return this;
  }

  @Override
  public Worker.Builder retry(RetryPolicy policy) {
    retry = given("retry", policy);
    return this;
  }

  @Override
  public Worker.Builder retry(String kind, RetryPolicy policy) {
    TaskValidator.checkKind(kind);
    retries.put(kind, given("retry", policy));
    return this;
  }

  @Override
  public Worker.Builder timeLimit(String kind, Duration limit) {
    TaskValidator.checkKind(kind);
    timeLimits.put(kind, within("timeLimit", limit, Duration.ofMillis(1), Duration.ofDays(30)));
    return this;
  }

  @Override
  public Worker.Builder pollInterval(Duration interval) {
    pollInterval = within("pollInterval", interval, Duration.ofMillis(1), Duration.ofMinutes(10));
    return this;
  }

  @Override
  public Worker.Builder pools(String first, String... more) {
    Set<String> all = new LinkedHashSet<>(List.of(more));
    all.add(first);
    for (String name : all) {
      Limits unused = Limits.none().pool(name);
    }
    pools = Set.copyOf(all);
    return this;
  }

  @Override
  public Worker.Builder shards(int workers) {
    shards = (int) within("shards", workers, 1, 1_000);
    return this;
  }

  @Override
  public Worker.Builder hourlyStatistics(boolean on) {
    hourlyStatistics = on;
    return this;
  }

  @Override
  public Worker start() {
    WorkerConfig config = config();
    return siblings.start(
        () -> new DefaultWorker(kernel, preflight, daemonWatch, config, siblings));
  }

  /**
   * Creates what runs the tasks of such a worker in the thread of its caller, for tests.
   *
   * @param failures is told what handlers throw
   */
  public InlineRun inline(BiConsumer<ClaimedTask, Throwable> failures) {
    return new InlineRun(
        DefaultWorker.partsOf(kernel, kernel.claimers()), kernel.batchReturn(), config(), failures);
  }

  private WorkerConfig config() {
    return new WorkerConfig(
        kernel.settings(),
        new Handlers(handlers),
        new KindSettings(retry, retries, timeLimits, concurrencies, formerNames),
        new WorkerConfig.Running(
            mode,
            concurrency,
            headroom == null ? usualHeadroom() : headroom,
            executor,
            hourlyStatistics),
        new WorkerConfig.Claiming(batchSize, heldBytes, pollInterval, pools, shards));
  }

  private int usualHeadroom() {
    return concurrency < LEAST_WITH_HEADROOM ? 0 : Math.max(1, concurrency / HANDLERS_OF_ONE);
  }
}
