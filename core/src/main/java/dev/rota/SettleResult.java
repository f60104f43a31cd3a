package dev.rota;

/**
 * What became of the outcomes of a batch.
 *
 * @param settled how many tasks were settled as reported
 * @param lost how many outcomes were dropped, because the batch had lost its lease before
 */
public record SettleResult(int settled, int lost) {

  /**
   * Whether the lease was lost before the outcomes were written.
   *
   * @return true if nothing was written
   */
  public boolean leaseLost() {
    return lost > 0;
  }
}
