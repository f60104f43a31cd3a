package dev.rota.metering.internal;

import dev.rota.metering.Usage;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;

/**
 * A part of the usage of a tenant in an hour.
 *
 * @param key the tenant and the hour
 * @param name the name of the tenant
 * @param attempts the number of attempts
 * @param runMicros how long they ran
 * @param more bytes, lost tasks, and storage
 */
record UsageRow(TenantHour key, String name, long attempts, long runMicros, More more) {

  static final Comparator<UsageRow> ORDER =
      Comparator.<UsageRow>comparingLong(row -> row.key.hour).thenComparing(UsageRow::name);

  /**
   * A tenant and an hour.
   *
   * @param tenant the number of the tenant
   * @param hour the first moment of the hour, in seconds since 1970
   */
  record TenantHour(int tenant, long hour) {}

  /** The other sums. */
  record More(long bytes, long lost, long storageByteHours) {}

  /** The row of an hour without usage, of a tenant that is known by its number only. */
  static UsageRow nothing(TenantHour key) {
    return new UsageRow(key, "number " + key.tenant, 0, 0, new More(0, 0, 0));
  }

  /** Reads a row of the statements about usage. */
  static UsageRow read(ResultSet row) throws SQLException {
    return new UsageRow(
        new TenantHour(row.getInt(1), row.getLong(3)),
        row.getString(2),
        row.getLong(4),
        row.getLong(5),
        new More(row.getLong(6), row.getLong(7), row.getLong(8)));
  }

  /** Returns the sum of this part and another one of the same hour. */
  UsageRow plus(UsageRow other) {
    More sum =
        new More(
            more.bytes + other.more.bytes,
            more.lost + other.more.lost,
            more.storageByteHours + other.more.storageByteHours);
    return new UsageRow(key, name, attempts + other.attempts, runMicros + other.runMicros, sum);
  }

  /** Whether all batches of the hour were handed back. */
  boolean isNothing() {
    return attempts == 0 && more.lost == 0 && more.storageByteHours == 0;
  }

  Usage usage() {
    return new Usage(
        name,
        Instant.ofEpochSecond(key.hour),
        new Usage.Attempts(attempts, Duration.of(runMicros, ChronoUnit.MICROS), more.bytes),
        more.lost,
        more.storageByteHours);
  }
}
