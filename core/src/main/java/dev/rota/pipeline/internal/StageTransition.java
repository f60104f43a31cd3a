package dev.rota.pipeline.internal;

import dev.rota.InvalidTaskException;
import dev.rota.NewTask;
import dev.rota.Task;
import dev.rota.internal.config.RotaConfig;
import dev.rota.internal.enqueue.DaemonWatch;
import dev.rota.internal.payload.StoredText;
import dev.rota.internal.settle.ClaimedBatch;
import dev.rota.internal.settle.ClaimedTask;
import dev.rota.internal.settle.ClaimedTask.Outcome;
import dev.rota.internal.settle.LeasedBatch;
import dev.rota.internal.settle.Settler;
import dev.rota.internal.settle.TaskFlags;
import dev.rota.internal.tenant.TaskValidator;
import dev.rota.internal.text.SafeText;
import dev.rota.pipeline.Pipeline;
import dev.rota.pipeline.StageResult;
import org.jspecify.annotations.Nullable;

/** Translates the result of a stage into the outcome of its task. Thread-safe. */
public final class StageTransition {

  private final TaskValidator rules;

  /** For tasks of one Rota. */
  public StageTransition(RotaConfig.TaskOptions settings) {
    this.rules = new TaskValidator(settings.payloads());
  }

  /**
   * Translates the result of a handler; the task is dead if the result is impossible, since another
   * run would not change it.
   */
  public Outcome outcome(
      ClaimedTask task, Pipeline pipeline, String here, @Nullable StageResult result) {
    try {
      return follow(task, pipeline, here, result);
    } catch (IllegalArgumentException | InvalidTaskException e) {
      return Outcome.dead(task, "done, but cannot continue: " + e.getMessage());
    }
  }

  /**
   * Translates the result of a handler; throws {@link IllegalArgumentException} or {@link
   * InvalidTaskException} if it is impossible.
   */
  private Outcome follow(
      ClaimedTask task, Pipeline pipeline, String here, @Nullable StageResult result) {
    if (result == null) {
      throw new IllegalArgumentException(
          "stage '" + here + "' returned null instead of a StageResult");
    }
    if (result.isFinish()) {
      return Outcome.done(task);
    }
    if ((task.traits() & TaskFlags.VERSIONED) != 0) {
      throw new IllegalArgumentException(
          "its key has a version, which goes with one kind and not with a pipeline; use a key"
              + " without a version");
    }
    return Outcome.requeued(task, requeue(task, pipeline, here, result), result.delay());
  }

  private Outcome.Requeue requeue(
      ClaimedTask task, Pipeline pipeline, String here, StageResult result) {
    NewTask typed = result.task().orElse(null);
    if (typed != null) {
      String unused = stageOf(pipeline, typed.kind());
      return new Outcome.Requeue(typed.kind(), stored(task, typed));
    }
    String stage = result.stage().or(() -> pipeline.next(here)).orElseThrow(() -> noNext(here));
    String payload = result.payload().orElse(null);
    String kind = rules.check(pipeline.taskAt(stage, "")).kind();
    return new Outcome.Requeue(
        kind, payload == null ? null : stored(task, pipeline.taskAt(stage, payload)));
  }

  /** The text to store for a task at its next stage, where it keeps its headers. */
  private String stored(ClaimedTask task, NewTask next) {
    return StoredText.of(rules.check(next.withHeaders(task.headers())));
  }

  /** The stage of a kind; throws {@link IllegalArgumentException} if the pipeline has none. */
  public static String stageOf(Pipeline pipeline, String kind) {
    return pipeline
        .stageOf(kind)
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "kind '" + SafeText.of(kind) + "' is no stage of " + pipeline));
  }

  /** A batch that a user has claimed, whose tasks can move to another stage. */
  public static final class StagedBatch extends LeasedBatch {
    private final StageTransition moves;

    public StagedBatch(
        ClaimedBatch batch,
        Settler settler,
        HandBack handBack,
        DaemonWatch daemonWatch,
        RotaConfig.TaskOptions settings) {
      super(batch, settler, handBack, daemonWatch, settings);
      this.moves = new StageTransition(settings);
    }

    @Override
    public void move(Task task, Pipeline pipeline, StageResult result) {
      ClaimedTask own = own(task);
      String here =
          pipeline
              .stageOf(task.kind())
              .orElseThrow(
                  () -> new IllegalArgumentException(task + " is at no stage of " + pipeline));
      report(moves.follow(own, pipeline, here, result));
    }
  }

  private static IllegalArgumentException noNext(String stage) {
    return new IllegalArgumentException(
        "stage '"
            + stage
            + "' is the last of its pipeline and has no next one; use StageResult.finish(), or"
            + " name a stage with moveTo");
  }
}
