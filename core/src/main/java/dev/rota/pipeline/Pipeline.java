package dev.rota.pipeline;

import dev.rota.Attempt;
import dev.rota.NewTask;
import dev.rota.history.History;
import dev.rota.internal.text.SafeText;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The stages that a task passes. One task with one id becomes pending at the next stage, or at a
 * named one, in the transaction that settles the previous one. Immutable and thread-safe.
 *
 * <p>A pipeline is a value in the code that producers and workers share; the database does not
 * store it. Each stage is a kind, {@code pipeline/stage}, so that everything configured by kind is
 * configured by stage: handlers, retry policies, time limits, concurrency, error groups.
 *
 * <pre>{@code
 * Pipeline docs = Pipeline.named("doc").stage("fetch").stage("parse").stage("index").build();
 * acme.enqueue(docs.task(url));
 * rota.worker()
 *     .stage(docs, "fetch", task -> StageResult.next(fetch(task.payload())))
 *     ...
 * }</pre>
 *
 * <p>It is modelled on the stage column of ad hoc queues in PostgreSQL. Here a stage needs no index
 * and no update of the pending row.
 */
public final class Pipeline {

  private static final int LONGEST_KIND = 128;
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._:-]+");
  private static final String SEPARATOR = "/";

  private final String name;
  private final List<String> stages;

  private Pipeline(String name, List<String> stages) {
    this.name = name;
    this.stages = List.copyOf(stages);
  }

  /**
   * Begins a pipeline.
   *
   * @param name its name, the first part of the kinds of its stages: characters out of {@code A-Z
   *     a-z 0-9 . _ : -}
   * @return a builder
   * @throws IllegalArgumentException if the name is malformed
   */
  public static Builder named(String name) {
    return new Builder(wellFormed("pipeline", name));
  }

  /** Adds stages, and builds the pipeline. Not thread-safe. */
  public static final class Builder {
    private final String name;
    private final List<String> stages = new ArrayList<>();

    private Builder(String name) {
      this.name = name;
    }

    /**
     * Adds a stage at the end.
     *
     * @param stage its name: characters out of {@code A-Z a-z 0-9 . _ : -}
     * @return this builder
     * @throws IllegalArgumentException if the name is malformed, if the stage already exists, or if
     *     the kind {@code pipeline/stage} has more than 128 characters
     */
    public Builder stage(String stage) {
      wellFormed("stage", stage);
      if (stages.contains(stage)) {
        throw new IllegalArgumentException(
            "pipeline '"
                + name
                + "' has a stage '"
                + SafeText.of(stage)
                + "' already; name each one differently");
      }
      int length = name.length() + SEPARATOR.length() + stage.length();
      if (length > LONGEST_KIND) {
        throw new IllegalArgumentException(
            "the kind of stage '%s' of pipeline '%s' would have %d characters; shorten the names to %d in all"
                .formatted(stage, name, length, LONGEST_KIND - SEPARATOR.length()));
      }
      stages.add(stage);
      return this;
    }

    /**
     * Builds the pipeline.
     *
     * @return the pipeline
     * @throws IllegalStateException if it has no stage
     */
    public Pipeline build() {
      if (stages.isEmpty()) {
        throw new IllegalStateException(
            "pipeline '" + name + "' has no stage; add one with stage(name)");
      }
      return new Pipeline(name, stages);
    }
  }

  /**
   * The name of the pipeline.
   *
   * @return the first part of the kinds of its stages
   */
  public String name() {
    return name;
  }

  /**
   * The stages in their order.
   *
   * @return an unmodifiable list, not empty
   */
  public List<String> stages() {
    return stages;
  }

  /**
   * The kind of the tasks at a stage.
   *
   * @param stage a stage of this pipeline
   * @return {@code pipeline/stage}
   * @throws IllegalArgumentException if the pipeline has no such stage
   */
  public String kind(String stage) {
    requireStage(stage);
    return name + SEPARATOR + stage;
  }

  /**
   * Returns the stage of a kind.
   *
   * @param kind the kind of a task
   * @return a stage of this pipeline, or empty for any other kind
   */
  public Optional<String> stageOf(String kind) {
    return nameIn(kind).filter(stages::contains);
  }

  /**
   * Returns the stage after another one.
   *
   * @param stage a stage of this pipeline
   * @return the next in order; empty for the last
   * @throws IllegalArgumentException if the pipeline has no such stage
   */
  public Optional<String> next(String stage) {
    int behind = requireStage(stage) + 1;
    return behind < stages.size() ? Optional.of(stages.get(behind)) : Optional.empty();
  }

  /**
   * Creates a task at the first stage.
   *
   * @param payload the input of its handler; see {@link NewTask#of}
   * @return the task
   */
  public NewTask task(String payload) {
    return taskAt(stages.get(0), payload);
  }

  /**
   * Creates a task that begins at a later stage.
   *
   * @param stage a stage of this pipeline
   * @param payload the input of its handler; see {@link NewTask#of}
   * @return the task
   * @throws IllegalArgumentException if the pipeline has no such stage
   */
  public NewTask taskAt(String stage, String payload) {
    return NewTask.of(kind(stage), payload);
  }

  /**
   * Groups the attempts of one task by its visits to the stages, oldest first. A stage to which the
   * task returned has a visit for each time.
   *
   * @param attempts all attempts of one task, from {@link History#scanAttempts(long)}
   * @return an unmodifiable list, empty if the task is not of this pipeline
   */
  public List<StageVisit> way(List<Attempt> attempts) {
    List<StageVisit> way = new ArrayList<>();
    attempts.stream()
        .filter(attempt -> nameIn(attempt.kind()).isPresent())
        .map(Attempt::createdAt)
        .distinct()
        .sorted()
        .forEach(
            entered -> {
              List<Attempt> visit =
                  attempts.stream().filter(one -> one.createdAt().equals(entered)).toList();
              way.add(new StageVisit(nameIn(visit.get(0).kind()).orElseThrow(), visit));
            });
    return List.copyOf(way);
  }

  /** The stage's name in a kind, also of a stage that was removed from the pipeline since. */
  private Optional<String> nameIn(String kind) {
    String start = name + SEPARATOR;
    return kind.startsWith(start) ? Optional.of(kind.substring(start.length())) : Optional.empty();
  }

  private int requireStage(String stage) {
    int index = stages.indexOf(Objects.requireNonNull(stage, "stage"));
    if (index < 0) {
      throw new IllegalArgumentException(
          "pipeline '"
              + name
              + "' has no stage '"
              + SafeText.of(stage)
              + "'; its stages are "
              + stages);
    }
    return index;
  }

  private static String wellFormed(String what, String name) {
    if (!NAME.matcher(Objects.requireNonNull(name, what)).matches()) {
      throw new IllegalArgumentException(
          what
              + " name '"
              + SafeText.of(name)
              + "' is malformed; a name is made of A-Z a-z 0-9 . _ : -");
    }
    return name;
  }

  @Override
  public String toString() {
    return "Pipeline[" + name + ": " + String.join(", ", stages) + "]";
  }
}
