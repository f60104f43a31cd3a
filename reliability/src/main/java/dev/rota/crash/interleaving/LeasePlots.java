package dev.rota.crash.interleaving;

import dev.rota.Batch;
import dev.rota.control.Redrive;
import dev.rota.control.TaskFilter;
import dev.rota.internal.DefaultRota;
import dev.rota.internal.Kernel;
import dev.rota.internal.claim.ClaimRequest;
import dev.rota.internal.claim.ClaimResult;
import dev.rota.internal.claim.Claimer;
import dev.rota.internal.schema.BatchEnd;
import dev.rota.internal.settle.ClaimedBatch;
import dev.rota.internal.settle.Outcome;
import dev.rota.internal.settle.Settlement;
import java.time.Duration;
import java.util.List;

/** Scenarios of ended leases, late outcomes, and cancel requests. */
public final class LeasePlots {

  private LeasePlots() {}

  /** A worker without a lease that settles nevertheless, and a daemon that returns its tasks. */
  public static ScriptedScenario zombie() {
    return ScriptedScenario.named("zombie")
        .given(
            world -> {
              world.enqueue(0, world.task(), world.task(), world.task());
              world.hold(1, 3);
              world.endLeases();
            })
        .actor(
            "zombie",
            world -> {
              Batch batch = world.held(0);
              world.fail(batch, batch.tasks().get(0));
              batch.dead(batch.tasks().get(1), "for good");
              world.settle(batch);
            })
        .actor("reaper", world -> world.daemon(3).reap())
        .actor("claimer", world -> world.work(2, 10))
        .finallyDo(world -> world.daemon(3).reap());
  }

  /** A worker without a lease that settled a part of its open batch before. */
  public static ScriptedScenario partlySettled() {
    return ScriptedScenario.named("partly settled")
        .given(
            world -> {
              world.enqueue(0, world.task(), world.task(), world.task());
              world.endLeases();
            })
        .actor(
            "zombie",
            world -> {
              Kernel kernel = DefaultRota.kernelOf(world.rota(1));
              ClaimedBatch batch = claim(world, kernel);
              if (batch.tasks().size() == 3) {
                settle(kernel, batch);
              }
            })
        .actor(
            "reaper",
            world -> {
              world.daemon(3).reap();
              world.daemon(3).reap();
            })
        .actor("claimer", world -> world.work(2, 10))
        .finallyDo(world -> world.daemon(3).reap());
  }

  private static ClaimedBatch claim(InterleavingEnvironment world, Kernel kernel) {
    var tenant = kernel.registry().get(world.tenant(1).number());
    Claimer claimer = kernel.claimers().claimer(null, BatchEnd.OPEN);
    ClaimRequest request = new ClaimRequest(tenant, 3, ClaimRequest.ALL_SLOTS, true);
    ClaimResult claim = claimer.claim(List.of(request)).get(0);
    return claim.batch();
  }

  /** Settles a part, so that the batch stays open; the rest is never settled. */
  private static void settle(Kernel kernel, ClaimedBatch batch) {
    Outcome done = Outcome.done(batch.tasks().get(0));
    Outcome dead = Outcome.dead(batch.tasks().get(1), "for good");
    kernel.settler().settle(List.of(new Settlement(batch, List.of(done, dead), false)));
  }

  /** A holder that hands back a batch, and a daemon that returns it. */
  public static ScriptedScenario handBack() {
    return ScriptedScenario.named("hand back")
        .given(
            world -> {
              world.enqueue(0, world.task(), world.task());
              world.hold(1, 2);
              world.endLeases();
            })
        .actor("holder", world -> world.held(0).close())
        .actor("reaper", world -> world.daemon(3).reap())
        .actor("other reaper", world -> world.daemon(4).reap())
        .actor("claimer", world -> world.work(2, 10))
        .finallyDo(world -> world.daemon(3).reap());
  }

  /** Pending and waiting tasks that are cancelled while they are claimed and promoted. */
  public static ScriptedScenario cancel() {
    return ScriptedScenario.named("cancel")
        .given(
            world ->
                world.enqueue(0, world.task(), world.task(), world.task().after(Duration.ZERO)))
        .actor(
            "canceller", world -> world.tenant(4).control().cancel(TaskFilter.all(), "not wanted"))
        .actor("claimer", world -> world.work(1, 2))
        .actor("promoter", world -> world.daemon(3).promote());
  }

  /** Running tasks with a cancel request that fail meanwhile, or come back from a dead worker. */
  public static ScriptedScenario cancelRunning() {
    return ScriptedScenario.named("cancel running")
        .given(
            world -> {
              world.enqueue(0, world.task(), world.task());
              world.hold(1, 2);
              world.endLeases();
            })
        .actor(
            "canceller",
            world -> world.tenant(4).control().requestCancel(TaskFilter.all(), "not wanted"))
        .actor(
            "zombie",
            world -> {
              Batch batch = world.held(0);
              world.fail(batch, batch.tasks().get(0));
              world.settle(batch);
            })
        .actor("reaper", world -> world.daemon(3).reap())
        .finallyDo(world -> world.daemon(3).reap());
  }

  /** Two operators who redrive the same dead tasks. */
  public static ScriptedScenario redrive() {
    return ScriptedScenario.named("redrive")
        .thatRunsAgain()
        .given(
            world -> {
              world.enqueue(0, world.task(), world.task());
              Batch batch = world.claim(1, 2);
              batch.tasks().forEach(task -> batch.dead(task, "for good"));
              world.settle(batch);
            })
        .actor("operator", world -> world.tenant(3).control().redrive(Redrive.all()))
        .actor("other operator", world -> world.tenant(4).control().redrive(Redrive.all()))
        .actor("claimer", world -> world.work(2, 10));
  }
}
