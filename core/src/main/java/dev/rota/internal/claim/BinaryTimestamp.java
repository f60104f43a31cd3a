package dev.rota.internal.claim;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

/** Decodes a time as PostgreSQL sends it: microseconds since the year 2000, in eight bytes. */
final class BinaryTimestamp {

  private static final long EPOCH_SECOND = Instant.parse("2000-01-01T00:00:00Z").getEpochSecond();
  private static final long MICROS = TimeUnit.SECONDS.toMicros(1);

  private static final long EARLIEST = since2000("0001-01-01T00:00:00Z");
  private static final long LATEST = since2000("+10000-01-01T00:00:00Z");

  private BinaryTimestamp() {}

  private static long since2000(String time) {
    return TimeUnit.SECONDS.toMicros(Instant.parse(time).getEpochSecond() - EPOCH_SECOND);
  }

  /** Whether the time is in the years 1 to 9999: times beyond break later computations. */
  static boolean isOfCalendar(byte[] wire) {
    long micros = ByteBuffer.wrap(wire).getLong();
    return micros >= EARLIEST && micros < LATEST;
  }

  static Instant read(byte[] wire) {
    long micros = ByteBuffer.wrap(wire).getLong();
    long nanos = TimeUnit.MICROSECONDS.toNanos(Math.floorMod(micros, MICROS));
    return Instant.ofEpochSecond(EPOCH_SECOND + Math.floorDiv(micros, MICROS), nanos);
  }
}
