package dev.rota.daemon;

/**
 * The counters of a daemon since it was started.
 *
 * @param rotations ring switches, of all tenants together
 * @param postponed rotations postponed, because the next slot was not empty or its lock not
 *     available
 * @param segments counts of segments, and of tenants that lost their last one
 * @param promoted tasks moved from wait tables into rings because they were due
 * @param reaped tasks of dead workers returned to rings
 */
public record DaemonStatistics(
    long rotations, long postponed, Segments segments, long promoted, long reaped) {

  /**
   * Counts of segments, of tenants and of the ledger.
   *
   * @param opened segments of history opened
   * @param dropped segments of history dropped
   * @param ledgerOpened segments of the ledger opened
   * @param ledgerDropped segments of the ledger dropped
   * @param parkedTenants tenants parked: all their tables were dropped, because they were idle
   */
  public record Segments(
      long opened, long dropped, long ledgerOpened, long ledgerDropped, long parkedTenants) {}
}
