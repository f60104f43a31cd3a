package dev.rota.spi;

/**
 * The counters of one daemon since it was started, read from its memory.
 *
 * @param leading whether it leads at this moment
 * @param rings what it did with rings
 * @param segments what it did with segments of history and of the ledger
 * @param archive what it archived
 */
public record DaemonLoad(boolean leading, Rings rings, Segments segments, Archived archive) {

  /**
   * Counts of rings and their tasks.
   *
   * @param rotations rings switched
   * @param postponed rotations put off, once in each period
   * @param promoted delayed tasks that were due and became pending
   * @param reaped tasks of dead workers that were returned
   * @param parkedTenants tenants whose tables were dropped because they were idle
   */
  public record Rings(
      long rotations, long postponed, long promoted, long reaped, long parkedTenants) {}

  /**
   * Counts of segments.
   *
   * @param opened segments of history opened
   * @param dropped segments of history dropped
   * @param ledgerOpened segments of the ledger opened
   * @param ledgerDropped segments of the ledger dropped
   */
  public record Segments(long opened, long dropped, long ledgerOpened, long ledgerDropped) {}

  /**
   * Counts of the archive; all zero without one.
   *
   * @param segments segments archived
   * @param bytes the size of their files
   * @param failures attempts that failed
   */
  public record Archived(long segments, long bytes, long failures) {}
}
