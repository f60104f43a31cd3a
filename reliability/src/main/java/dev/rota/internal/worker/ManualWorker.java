package dev.rota.internal.worker;

import dev.rota.DeliveryMode;
import dev.rota.RetryPolicy;
import dev.rota.Rota;
import dev.rota.TransactionalHandler;
import dev.rota.internal.DefaultRota;
import dev.rota.internal.Kernel;
import dev.rota.internal.WorkerBuilder;
import dev.rota.internal.claim.Claimer;
import dev.rota.internal.settle.ClaimedBatch.BatchEnd;
import dev.rota.internal.worker.TenantQueue.Visit;
import java.time.Duration;
import java.util.List;

/** A transactional worker that visits a tenant on request of a test, on the test's own thread. */
public final class ManualWorker implements AutoCloseable {

  private static final int ALL_SLOTS = (1 << 30) - 1;

  private final TransactionalRun runner;
  private final Claimer claimer;

  public ManualWorker(Rota rota, String kind, TransactionalHandler handler) {
    Kernel kernel = DefaultRota.kernelOf(rota);
    WorkerConfig settings =
        WorkerBuilder.configOf(
            rota.worker()
                .handleInTransaction(kind, handler)
                .delivery(DeliveryMode.TRANSACTIONAL)
                .retry(RetryPolicy.fixed(10, Duration.ZERO)));
    this.runner =
        new TransactionalRun(
            new LeasedDelivery.Parts(
                kernel.database(),
                kernel.registry(),
                kernel.lease(),
                kernel.settler(),
                new LeasedDelivery.Claiming(kernel.claimers(), kernel.rules())),
            settings,
            new WorkerCounters(List.of(), null));
    this.claimer = settings.claimer(kernel.claimers(), 0, BatchEnd.SETTLED);
  }

  /** Runs one transaction: claim, handlers, outcomes. */
  public void visit(int tenant) {
    var unused = runner.run(claimer, new Visit(tenant, ALL_SLOTS));
  }

  @Override
  public void close() {
    runner.close();
  }
}
