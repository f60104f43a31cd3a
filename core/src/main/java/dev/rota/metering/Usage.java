package dev.rota.metering;

import java.time.Duration;
import java.time.Instant;

/**
 * What one tenant used in one hour.
 *
 * @param tenant the present name of the tenant
 * @param hour the first moment of the hour, by the clock of the database; hours are those of UTC
 * @param attempts the attempts that ended
 * @param lost how many tasks dead workers held, which others run again
 * @param storageByteHours the bytes of the tenant's tables, measured once, times one hour; 0 if no
 *     daemon measured them in this hour
 * @see Metering#usage(Instant, Instant)
 */
public record Usage(
    String tenant, Instant hour, Attempts attempts, long lost, long storageByteHours) {

  /**
   * The attempts that ended: done, failed, dead or cancelled. Attempts that were lost with their
   * worker, or handed back before they began, are not among them.
   *
   * @param count their number
   * @param runTime how long their handlers ran together, to the microsecond
   * @param bytes how many bytes of UTF-8 their payloads have together
   */
  public record Attempts(long count, Duration runTime, long bytes) {}
}
