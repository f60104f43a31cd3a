package dev.rota.internal.settle;

import dev.rota.Batch;
import dev.rota.Rota;
import dev.rota.internal.DefaultRota;

/** What a lease does by its timer, done when a test says so, on the test's own thread. */
public final class HandLease {

  private final ProcessLease lease;

  /** Of the process that this Rota is. */
  public HandLease(Rota rota) {
    this.lease = DefaultRota.kernelOf(rota).lease();
  }

  /** The number of the process. */
  public long worker() {
    return lease.worker();
  }

  public void beat() {
    lease.beat();
  }

  /**
   * Lets a claim be one whose answer was lost: the ledger knows its batch, the process does not.
   */
  public void loseAnswer(Batch batch) {
    lease.drop(batch.id());
  }

  public void returnUnknownBatches() {
    lease.returnUnknownBatches();
  }
}
