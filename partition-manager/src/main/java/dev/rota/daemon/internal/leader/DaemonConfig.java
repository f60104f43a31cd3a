package dev.rota.daemon.internal.leader;

import dev.rota.archive.Archive;
import java.time.Duration;
import java.util.Optional;

/**
 * The settings of one daemon, as {@link dev.rota.daemon.RotationDaemon.Builder} describes them.
 * Immutable.
 *
 * @param rotation when rings are switched
 * @param segments when segments of history are sealed
 * @param retention how long what is finished is kept
 * @param archive where segments go before they are dropped
 * @param pace how often the daemon looks, and how much it works
 */
public record DaemonConfig(
    Rotation rotation,
    Segments segments,
    Retention retention,
    Optional<Archive> archive,
    Pace pace) {

  /**
   * The most segments of the ledger that are kept. The view over the ledger is planned at every
   * use: more segments would make that slow.
   */
  public static final int LEDGER_SEGMENTS = 48;

  /**
   * The most segments of the ledger that are kept for an archive that is behind, for which a slower
   * view is accepted.
   */
  public static final int LEDGER_SEGMENTS_FOR_ARCHIVE = 2 * LEDGER_SEGMENTS;

  /** The length of a period after which the ledger turns over. */
  public Duration ledgerPeriod() {
    Duration part = retention.ledger.dividedBy(LEDGER_SEGMENTS);
    return rotation.period.compareTo(part) > 0 ? rotation.period : part;
  }

  /**
   * The age at which a segment that goes to an archive is sealed, whatever the settings are. The
   * times of its batches are in the ledger alone until it is archived. The archive has the rest of
   * the time for which the ledger waits.
   */
  public Duration longestOpenSegment() {
    return ledgerPeriod().multipliedBy(LEDGER_SEGMENTS_FOR_ARCHIVE * 3L / 4);
  }

  /** When the ring of a tenant is switched, and when it is dropped because the tenant is idle. */
  public record Rotation(Duration period, long slotBytes, Parking parking) {}

  /**
   * When the tables of idle tenants are dropped.
   *
   * @param after how long a tenant is idle before; zero means never
   * @param notice how long before the drop producers can read that it will come
   * @param interval how often the daemon looks for such tenants
   */
  public record Parking(Duration after, Duration notice, Duration interval) {

    /** Whether tenants are parked at all. */
    public boolean isOn() {
      return !after.isZero();
    }
  }

  /** A segment of at least this size is sealed at the next rotation, a smaller one at this age. */
  public record Segments(long bytes, Duration age) {}

  /** How long what is finished is kept. */
  public record Retention(
      Duration history, Duration archive, Duration ledger, Duration statistics, Duration graphs) {}

  /**
   * How often the daemon looks for what is due, and how much it works.
   *
   * @param workShare which part of its time it works on tables
   * @param clockTrial for how long the clock of the database must run evenly before what is kept
   *     for long is deleted
   */
  public record Pace(Duration tick, double workShare, Duration clockTrial) {}
}
