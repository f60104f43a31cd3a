package dev.rota.crash.campaign;

import dev.rota.Batch;
import dev.rota.Batch.SettleResult;
import dev.rota.Rota;
import dev.rota.RotaException;
import dev.rota.Task;
import dev.rota.Tenant;
import dev.rota.crash.campaign.audit.CampaignTask;
import dev.rota.pipeline.StageResult;
import dev.rota.testing.Await;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Claims through the API, beside the worker of the same process. It hands some tasks back, before
 * or after they began, and settles until it knows the outcome.
 */
final class ManualClaims implements Runnable {

  private static final int MOST = 10;
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(150);
  private static final Duration RETRY = Duration.ofMillis(50);

  private final Rota rota;
  private final RunLog log;
  private final Random random;
  private volatile boolean stopping;

  ManualClaims(Rota rota, RunLog log, long seed) {
    this.rota = rota;
    this.log = log;
    this.random = new Random(seed);
  }

  void stop() {
    stopping = true;
  }

  @Override
  public void run() {
    while (!stopping) {
      try {
        claim();
      } catch (RotaException e) {
        // The server is or was unavailable: the lease returns tasks that were claimed without an
        // answer.
        LockSupport.parkNanos(PAUSE_NANOS);
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private void claim() {
    String name = CampaignTenants.NAMES.get(random.nextInt(CampaignTenants.NAMES.size()));
    Tenant tenant = rota.tenants().get(name);
    Batch batch = tenant.claim(1 + random.nextInt(MOST));
    for (Task task : batch) {
      treat(batch, task);
    }
    SettleResult result =
        Await.success("settle batch " + batch.id() + " of " + name, batch::settle);
    if (result.leaseLost()) {
      log.fenced(result.lost());
    }
  }

  private void treat(Batch batch, Task task) {
    if (task.kind().equals(CampaignTask.PASS_ON.kind())) {
      batch.move(task, CampaignTask.WAY, StageResult.next());
      return;
    }
    int drawn = random.nextInt(10);
    if (drawn == 0) {
      batch.release(task);
      return;
    }
    log.begun(task);
    if (drawn == 1) {
      log.released(task);
      batch.release(task);
    } else if (task.attempt() > CampaignHandlers.deed(task).failures()) {
      log.succeeded(task);
    } else if (CampaignHandlers.deed(task) == CampaignTask.END_DEAD) {
      log.failed(task);
      batch.dead(task, "to be dead");
    } else {
      log.failed(task);
      batch.fail(task, "to be tried again", RETRY);
    }
  }
}
