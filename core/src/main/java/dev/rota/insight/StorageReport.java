package dev.rota.insight;

import dev.rota.admin.DatabaseStatus.ArchiveTrouble;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The state of the tables that the daemon keeps. Times are by the clock of the database. Immutable.
 *
 * @param readAt when it was read
 * @param rotation how the rings turn
 * @param segments the segments in the database
 * @param archive the segments in the archive
 * @param oldestTransaction the transaction that keeps old rows longest; empty if there is none
 */
public record StorageReport(
    Instant readAt,
    Rotation rotation,
    Tables segments,
    Archive archive,
    Optional<OpenTransaction> oldestTransaction) {

  /**
   * How the rings of tenants with tables turn.
   *
   * @param postponed tenants whose last switch was put off
   * @param reasons why, in words, the most frequent first, at most ten
   * @param longestAgo the time since the switch of the tenant that waits longest, of those with
   *     pending tasks; zero if there is none
   */
  public record Rotation(int postponed, List<String> reasons, Duration longestAgo) {

    /**
     * Copies the list.
     *
     * @param postponed tenants whose last switch was put off
     * @param reasons why
     * @param longestAgo the time since the switch of the tenant that waits longest
     */
    public Rotation {
      reasons = List.copyOf(reasons);
    }
  }

  /**
   * The tables of tenants, and those of batches. Beyond ten thousand the number of segments is an
   * estimate of the server.
   *
   * @param tenants how many tenants have tables: a ring of pending tasks, or several by priority
   * @param history the segments of history of all tenants
   * @param ledger the segments of the ledger
   * @param size the size of the tables of tenants; empty if no daemon led in the last whole hour
   */
  public record Tables(int tenants, Segments history, Segments ledger, Optional<Size> size) {}

  /**
   * The size of all tables of tenants with their indexes, as the daemon notes it once an hour for
   * {@linkplain dev.rota.metering.Metering metering}.
   *
   * @param hour the hour in which it was noted
   * @param bytes how many bytes
   * @param dayBefore how many they were a day before; empty if that was not noted
   */
  public record Size(Instant hour, long bytes, OptionalLong dayBefore) {}

  /**
   * Segments in the database.
   *
   * @param open those into which claims write
   * @param sealed those that are full
   */
  public record Segments(long open, long sealed) {}

  /**
   * The archive.
   *
   * @param estimatedSegments how many segments it has, as the server estimates
   * @param unfinished segments of which archiving began and has not ended
   * @param troubles what hinders it, at most ten
   */
  public record Archive(long estimatedSegments, long unfinished, List<ArchiveTrouble> troubles) {

    /**
     * Copies the list.
     *
     * @param estimatedSegments how many segments it has
     * @param unfinished segments of which archiving has not ended
     * @param troubles what hinders it
     */
    public Archive {
      troubles = List.copyOf(troubles);
    }
  }

  /**
   * A transaction that keeps the server from removing old rows. The server tells name and state to
   * superusers, members of {@code pg_read_all_stats} and the role of the session.
   *
   * @param process the number of its server process; 0 for a prepared transaction or a replica
   * @param application its {@code application_name}, or what it is
   * @param age how old it is, if known
   */
  public record OpenTransaction(
      int process, Optional<String> application, Optional<Duration> age) {}
}
