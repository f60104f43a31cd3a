package dev.rota.internal.settle;

import dev.rota.Batch;
import dev.rota.Rota;
import dev.rota.internal.DefaultRota;
import java.util.Set;

/** Runs the timer-driven work of a lease on request of a test, on the test's own thread. */
public final class ManualLease {

  private final ProcessLease lease;

  /** Creates the access to the lease of this Rota's process. */
  public ManualLease(Rota rota) {
    this.lease = DefaultRota.kernelOf(rota).lease();
  }

  /** The number of the process. */
  public long worker() {
    return lease.worker();
  }

  public void beat() {
    lease.beat();
  }

  /** Registers which tenants one more worker serves, with a handler for one kind. */
  public void serve(Set<String> pools, int shards, String kind) {
    LeftKinds left = new LeftKinds(System::nanoTime);
    lease.services.add(new ProcessLease.Service(pools, shards, Set.of(kind), left));
    lease.writeServices();
  }

  /**
   * Simulates a claim whose answer was lost: the ledger has its batch, the process does not know
   * it.
   */
  public void loseAnswer(Batch batch) {
    lease.drop(batch.id());
  }

  public void returnUnknownBatches() {
    lease.returnUnknownBatches();
  }
}
