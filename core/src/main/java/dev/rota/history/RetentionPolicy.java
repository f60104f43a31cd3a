package dev.rota.history;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * The settings of one tenant that replace the daemon's. Immutable and thread-safe; each method
 * returns a copy.
 *
 * @see History#changeRetention
 */
public final class RetentionPolicy {

  private static final Duration LONGEST = Duration.ofDays(36_500);
  private static final Duration SHORTEST_SEGMENT = Duration.ofSeconds(1);
  private static final RetentionPolicy DEFAULTS =
      new RetentionPolicy(
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          false,
          new Segments(Optional.empty(), Optional.empty()));

  private final Optional<Duration> keepHistory;
  private final Optional<Boolean> archive;
  private final Optional<Duration> keepArchive;
  private final boolean legalHold;
  private final Segments segments;

  private record Segments(Optional<Duration> age, Optional<Long> bytes) {}

  private RetentionPolicy(
      Optional<Duration> keepHistory,
      Optional<Boolean> archive,
      Optional<Duration> keepArchive,
      boolean legalHold,
      Segments segments) {
    this.keepHistory = keepHistory;
    this.archive = archive;
    this.keepArchive = keepArchive;
    this.legalHold = legalHold;
    this.segments = segments;
  }

  /**
   * A policy without any settings: all of the daemon's settings apply.
   *
   * @return the empty policy
   */
  public static RetentionPolicy defaults() {
    return DEFAULTS;
  }

  /**
   * Sets how long the tenant's history is kept in the database, counted from when a segment of it
   * was sealed. The leading daemon drops whole segments. It seals segments earlier than its
   * settings require if a tenant keeps its history for less than ten days. It then seals at a tenth
   * of this time, but at least a minute. So no row is dropped before its time. All are dropped a
   * tenth of the time and two minutes later. There are three exceptions: a batch of the segment is
   * still open, the segment awaits archiving, or there is a {@link #legalHold(boolean) legal hold}.
   *
   * @param age zero to 36,500 days, kept to the microsecond
   * @return a copy with this time
   * @throws IllegalArgumentException if out of range
   */
  public RetentionPolicy keepHistory(Duration age) {
    return keeping(Optional.of(within("keepHistory", age, Duration.ZERO)));
  }

  /**
   * Removes the tenant's own time, so that the daemon's setting applies.
   *
   * @return a copy without its own time
   */
  public RetentionPolicy keepHistoryByDefault() {
    return keeping(Optional.empty());
  }

  /**
   * The time for which the tenant's history is kept in the database.
   *
   * @return the time, or empty for the daemon's setting
   */
  public Optional<Duration> keepHistory() {
    return keepHistory;
  }

  /**
   * Sets whether segments are archived before they are dropped. A segment of a tenant that archives
   * is never dropped by a daemon that has no archive.
   *
   * @param archived true to archive, false to drop without archiving
   * @return a copy with this choice
   */
  public RetentionPolicy archive(boolean archived) {
    return archiving(Optional.of(archived), keepArchive);
  }

  /**
   * Removes the tenant's own choice, so that segments are archived if the daemon has an archive.
   *
   * @return a copy without its own choice
   */
  public RetentionPolicy archiveByDefault() {
    return archiving(Optional.empty(), keepArchive);
  }

  /**
   * Whether segments are archived before they are dropped.
   *
   * @return the choice, or empty for the daemon's setting
   */
  public Optional<Boolean> archive() {
    return archive;
  }

  /**
   * Sets how long archived segments are kept, counted from when they were sealed in the database. A
   * segment that is still in the database is not deleted from the archive.
   *
   * @param age zero to 36,500 days, kept to the microsecond
   * @return a copy with this time
   * @throws IllegalArgumentException if out of range
   */
  public RetentionPolicy keepArchive(Duration age) {
    return archiving(archive, Optional.of(within("keepArchive", age, Duration.ZERO)));
  }

  /**
   * Removes the tenant's own time for archived segments, so that the daemon's setting applies.
   *
   * @return a copy without its own time
   */
  public RetentionPolicy keepArchiveByDefault() {
    return archiving(archive, Optional.empty());
  }

  /**
   * The time for which archived segments are kept.
   *
   * @return the time, or empty for the daemon's setting
   */
  public Optional<Duration> keepArchive() {
    return keepArchive;
  }

  /**
   * Sets a legal hold: while it is on, daemons keep all records of the tenant's activity, however
   * old. These are its segments of history in the database and in the archive, its batches in the
   * ledger, its statistics, keys and graphs. The tenant cannot be erased. Segments are still
   * archived. Rows that running consumes, such as pending tasks and requests to cancel running
   * ones, are still removed. A key whose time is over can be taken by a new task. Off by default.
   *
   * @param on whether all records are kept
   * @return a copy with this choice
   */
  public RetentionPolicy legalHold(boolean on) {
    return new RetentionPolicy(keepHistory, archive, keepArchive, on, segments);
  }

  /**
   * Whether the tenant is under legal hold.
   *
   * @return true while no record may be dropped
   */
  public boolean legalHold() {
    return legalHold;
  }

  /**
   * Sets the age at which a segment is sealed that is still small. The daemon seals one that goes
   * to an archive earlier if the ledger could not keep the times of its batches for so long.
   *
   * @param age 1 second to 36,500 days, kept to the microsecond
   * @return a copy with this age
   * @throws IllegalArgumentException if out of range
   */
  public RetentionPolicy segmentAge(Duration age) {
    return sealing(Optional.of(within("segmentAge", age, SHORTEST_SEGMENT)), segments.bytes());
  }

  /**
   * The age at which a segment is sealed that is still small.
   *
   * @return the age, or empty for the daemon's setting
   */
  public Optional<Duration> segmentAge() {
    return segments.age();
  }

  /**
   * Sets the size from which a segment is sealed at the next rotation time.
   *
   * @param bytes zero or more; zero seals at every rotation time, strictly
   * @return a copy with this size
   * @throws IllegalArgumentException if negative
   */
  public RetentionPolicy segmentBytes(long bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException("segmentBytes is " + bytes + "; use zero or more");
    }
    return sealing(segments.age(), Optional.of(bytes));
  }

  /**
   * The size from which a segment is sealed at the next rotation time.
   *
   * @return the size, or empty for the daemon's setting
   */
  public Optional<Long> segmentBytes() {
    return segments.bytes();
  }

  /**
   * Removes the tenant's own age of segments, so that the daemon's setting applies.
   *
   * @return a copy without its own age
   */
  public RetentionPolicy segmentAgeByDefault() {
    return sealing(Optional.empty(), segments.bytes());
  }

  /**
   * Removes the tenant's own size of segments, so that the daemon's setting applies.
   *
   * @return a copy without its own size
   */
  public RetentionPolicy segmentBytesByDefault() {
    return sealing(segments.age(), Optional.empty());
  }

  private RetentionPolicy keeping(Optional<Duration> age) {
    return new RetentionPolicy(age, archive, keepArchive, legalHold, segments);
  }

  private RetentionPolicy archiving(Optional<Boolean> archived, Optional<Duration> kept) {
    return new RetentionPolicy(keepHistory, archived, kept, legalHold, segments);
  }

  private RetentionPolicy sealing(Optional<Duration> age, Optional<Long> bytes) {
    return new RetentionPolicy(
        keepHistory, archive, keepArchive, legalHold, new Segments(age, bytes));
  }

  private static Duration within(String option, Duration age, Duration least) {
    if (age.compareTo(least) < 0 || age.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          option
              + " is "
              + age
              + "; use "
              + (least.isZero() ? "zero" : "1 second")
              + " to "
              + LONGEST.toDays()
              + " days");
    }
    return age;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RetentionPolicy policy
        && keepHistory.equals(policy.keepHistory)
        && archive.equals(policy.archive)
        && keepArchive.equals(policy.keepArchive)
        && legalHold == policy.legalHold
        && segments.equals(policy.segments);
  }

  @Override
  public int hashCode() {
    return Objects.hash(keepHistory, archive, keepArchive, legalHold, segments);
  }

  @Override
  public String toString() {
    return "keepHistory="
        + text(keepHistory)
        + ", archive="
        + text(archive)
        + ", keepArchive="
        + text(keepArchive)
        + ", legalHold="
        + legalHold
        + ", segmentAge="
        + text(segments.age())
        + ", segmentBytes="
        + text(segments.bytes());
  }

  private static String text(Optional<?> setting) {
    return setting.map(Object::toString).orElse("default");
  }
}
