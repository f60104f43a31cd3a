package dev.rota.crash.campaign;

import dev.rota.NewTask;
import dev.rota.Tenant;
import dev.rota.crash.campaign.audit.CampaignTask;
import dev.rota.crash.campaign.audit.EnqueueMode;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;

/**
 * Steps the clock of the database forward, like the clock of a host that was suspended. All times
 * that Rota compares with it are set back by the same amount, which has the same effect.
 */
final class ClockFaults {

  private static final int TASKS = 20;

  /** The number of steps: the daemon may poll something else between two heartbeats. */
  private static final int STEPS = 3;

  private static final Duration DELAY = Duration.ofHours(1);

  private ClockFaults() {}

  /** Steps the clock. Tasks that had to wait for an hour are due then, and no worker has died. */
  static void step(ActiveFault fault) throws Exception {
    fault.withServer(
        server -> {
          enqueueDelayed(fault);
          for (int step = 1; step <= STEPS; step++) {
            server.execute(
                "update rota.worker set heartbeat_at = heartbeat_at - interval '2 hours'");
            LockSupport.parkNanos(fault.hold().toNanos() / STEPS);
          }
          for (Tenant tenant : fault.environment().tenants()) {
            server.execute(
                "update rota_%1$d.task_wait_%1$d set run_at = run_at - interval '2 hours'"
                    .formatted(tenant.number()));
          }
        });
  }

  private static void enqueueDelayed(ActiveFault fault) {
    CampaignEnvironment environment = fault.environment();
    long first = environment.nextMarks(TASKS);
    environment.log().invoke(first, TASKS, EnqueueMode.DELAYED);
    List<NewTask> tasks =
        LongStream.range(first, first + TASKS)
            .mapToObj(mark -> CampaignTask.of(mark).task(mark).after(DELAY))
            .toList();
    environment.log().acknowledged(first, fault.tenant().enqueueAll(tasks));
  }
}
