package dev.rota.crash.interleaving;

import dev.rota.Batch;
import dev.rota.Task;
import dev.rota.control.TaskFilter;
import dev.rota.pipeline.Pipeline;
import dev.rota.pipeline.StageResult;
import java.time.Duration;

/**
 * InterleavingScenarios of tasks that move: to another stage, to another lane, or back to the ring
 * on request.
 */
final class MoveScenarios {

  private static final Pipeline PIPELINE =
      Pipeline.named("book").stage("scan").stage("print").build();

  private MoveScenarios() {}

  /** Tasks that pass a stage while their worker counts as dead. */
  static ScriptedScenario pipeline() {
    return ScriptedScenario.named("pipeline")
        .thatRunsAgain()
        .given(
            world -> {
              world.enqueue(0, PIPELINE.task("{\"book\": 1}"), PIPELINE.task("{\"book\": 2}"));
              world.hold(1, 2);
              world.endLeases();
            })
        .actor(
            "zombie",
            world -> {
              Batch batch = world.held(0);
              for (Task task : batch) {
                batch.move(task, PIPELINE, StageResult.next());
              }
              world.settle(batch);
            })
        .actor("reaper", world -> world.daemon(3).reap())
        .actor("claimer", world -> world.work(2, 10))
        .finallyDo(world -> world.daemon(3).reap());
  }

  /** Tasks that change their lane while they are claimed, and both rings rotate. */
  static ScriptedScenario priority() {
    return ScriptedScenario.named("priority")
        .withLane(50)
        .given(world -> world.enqueue(0, world.task(), world.task(), world.task()))
        .actor("operator", world -> world.tenant(4).control().changePriority(TaskFilter.all(), 50))
        .actor("claimer", world -> world.work(1, 2))
        .impatient(
            "rotator",
            world -> {
              world.daemon(3).rotate(world.tenant(3).number(), 3);
              world.daemon(3).rotate(world.tenant(3).number(), 0);
            });
  }

  /** Tasks that an operator takes from a live worker while it settles. */
  static ScriptedScenario returned() {
    return ScriptedScenario.named("returned")
        .given(
            world -> {
              world.enqueue(0, world.task(), world.task(), world.task());
              world.hold(1, 3);
            })
        .actor("operator", world -> world.tenant(4).control().requeueRunning(Duration.ZERO))
        .actor(
            "settler",
            world -> {
              Batch batch = world.held(0);
              world.fail(batch, batch.tasks().get(0));
              batch.release(batch.tasks().get(1));
              world.settle(batch);
            })
        .actor("claimer", world -> world.work(2, 10))
        .finallyDo(world -> world.tenant(4).control().requeueRunning(Duration.ZERO));
  }
}
