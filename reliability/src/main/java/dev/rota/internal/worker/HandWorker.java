package dev.rota.internal.worker;

import dev.rota.DeliveryMode;
import dev.rota.RetryPolicy;
import dev.rota.Rota;
import dev.rota.TransactionalHandler;
import dev.rota.internal.Claimer;
import dev.rota.internal.Kernel;
import dev.rota.internal.RotaView;
import dev.rota.internal.db.BatchEnd;
import dev.rota.internal.worker.Agenda.Visit;
import java.time.Duration;

/** A transactional worker that visits a tenant when a test says so, on the test's own thread. */
public final class HandWorker implements AutoCloseable {

  private static final int ALL_SLOTS = (1 << 30) - 1;

  private final TransactionRunner runner;
  private final Claimer claimer;

  public HandWorker(Rota rota, String kind, TransactionalHandler handler) {
    Kernel kernel = RotaView.kernelOf(rota);
    WorkerSettings settings = new WorkerSettings(kernel.settings());
    settings.rules().retry(RetryPolicy.fixed(10, Duration.ZERO));
    settings.handlers().addTransactional(kind, handler);
    settings.mode(DeliveryMode.TRANSACTIONAL);
    settings.validate();
    this.runner =
        new TransactionRunner(
            kernel.database(), kernel.registry(), kernel.settler(), settings, new Tally(null));
    this.claimer = settings.claimer(kernel.claimers(), 0, BatchEnd.SETTLED);
  }

  /** One transaction: claim, handlers, outcomes. */
  public void visit(int tenant) {
    var unused = runner.run(claimer, new Visit(tenant, ALL_SLOTS));
  }

  @Override
  public void close() {
    runner.close();
  }
}
