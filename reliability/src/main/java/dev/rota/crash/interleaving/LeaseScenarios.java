package dev.rota.crash.interleaving;

import dev.rota.Batch;
import dev.rota.control.Redrive;
import dev.rota.control.TaskFilter;
import dev.rota.internal.DefaultRota;
import dev.rota.internal.Kernel;
import dev.rota.internal.claim.ClaimRequest;
import dev.rota.internal.claim.ClaimRequest.ClaimResult;
import dev.rota.internal.claim.Claimer;
import dev.rota.internal.settle.ClaimedBatch;
import dev.rota.internal.settle.ClaimedBatch.BatchEnd;
import dev.rota.internal.settle.ClaimedBatch.Settlement;
import dev.rota.internal.settle.ClaimedTask.Outcome;
import java.time.Duration;
import java.util.List;

/** InterleavingScenarios of ended leases, late outcomes, and cancel requests. */
public final class LeaseScenarios {

  private LeaseScenarios() {}

  /** A worker without a lease that settles nevertheless, and a daemon that returns its tasks. */
  public static ScriptedScenario zombie() {
    return ScriptedScenario.named("zombie")
        .given(
            environment -> {
              environment.enqueue(0, environment.task(), environment.task(), environment.task());
              environment.hold(1, 3);
              environment.endLeases();
            })
        .actor(
            "zombie",
            environment -> {
              Batch batch = environment.held(0);
              environment.fail(batch, batch.tasks().get(0));
              batch.dead(batch.tasks().get(1), "for good");
              environment.settle(batch);
            })
        .actor("reaper", environment -> environment.daemon(3).reap())
        .actor("claimer", environment -> environment.work(2, 10))
        .finallyDo(environment -> environment.daemon(3).reap());
  }

  /** A worker without a lease that settled a part of its open batch before. */
  public static ScriptedScenario partlySettled() {
    return ScriptedScenario.named("partly settled")
        .given(
            environment -> {
              environment.enqueue(0, environment.task(), environment.task(), environment.task());
              environment.endLeases();
            })
        .actor(
            "zombie",
            environment -> {
              Kernel kernel = DefaultRota.kernelOf(environment.rota(1));
              ClaimedBatch batch = claim(environment, kernel);
              if (batch.tasks().size() == 3) {
                settle(kernel, batch);
              }
            })
        .actor(
            "reaper",
            environment -> {
              environment.daemon(3).reap();
              environment.daemon(3).reap();
            })
        .actor("claimer", environment -> environment.work(2, 10))
        .finallyDo(environment -> environment.daemon(3).reap());
  }

  private static ClaimedBatch claim(InterleavingEnvironment environment, Kernel kernel) {
    var tenant = kernel.registry().get(environment.tenant(1).number());
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
            environment -> {
              environment.enqueue(0, environment.task(), environment.task());
              environment.hold(1, 2);
              environment.endLeases();
            })
        .actor("holder", environment -> environment.held(0).close())
        .actor("reaper", environment -> environment.daemon(3).reap())
        .actor("other reaper", environment -> environment.daemon(4).reap())
        .actor("claimer", environment -> environment.work(2, 10))
        .finallyDo(environment -> environment.daemon(3).reap());
  }

  /** Pending and waiting tasks that are cancelled while they are claimed and promoted. */
  public static ScriptedScenario cancel() {
    return ScriptedScenario.named("cancel")
        .given(
            environment ->
                environment.enqueue(
                    0,
                    environment.task(),
                    environment.task(),
                    environment.task().after(Duration.ZERO)))
        .actor(
            "canceller",
            environment -> environment.tenant(4).control().cancel(TaskFilter.all(), "not wanted"))
        .actor("claimer", environment -> environment.work(1, 2))
        .actor("promoter", environment -> environment.daemon(3).promote());
  }

  /** Running tasks with a cancel request that fail meanwhile, or come back from a dead worker. */
  public static ScriptedScenario cancelRunning() {
    return ScriptedScenario.named("cancel running")
        .given(
            environment -> {
              environment.enqueue(0, environment.task(), environment.task());
              environment.hold(1, 2);
              environment.endLeases();
            })
        .actor(
            "canceller",
            environment ->
                environment.tenant(4).control().requestCancel(TaskFilter.all(), "not wanted"))
        .actor(
            "zombie",
            environment -> {
              Batch batch = environment.held(0);
              environment.fail(batch, batch.tasks().get(0));
              environment.settle(batch);
            })
        .actor("reaper", environment -> environment.daemon(3).reap())
        .finallyDo(environment -> environment.daemon(3).reap());
  }

  /** Two operators who redrive the same dead tasks. */
  public static ScriptedScenario redrive() {
    return ScriptedScenario.named("redrive")
        .thatRunsAgain()
        .given(
            environment -> {
              environment.enqueue(0, environment.task(), environment.task());
              Batch batch = environment.claim(1, 2);
              batch.tasks().forEach(task -> batch.dead(task, "for good"));
              environment.settle(batch);
            })
        .actor("operator", environment -> environment.tenant(3).control().redrive(Redrive.all()))
        .actor(
            "other operator", environment -> environment.tenant(4).control().redrive(Redrive.all()))
        .actor("claimer", environment -> environment.work(2, 10));
  }
}
