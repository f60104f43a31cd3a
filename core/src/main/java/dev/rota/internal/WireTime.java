package dev.rota.internal;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

/** A time as PostgreSQL sends it: microseconds since the year 2000, in eight bytes. */
final class WireTime {

  private static final long EPOCH_SECOND = Instant.parse("2000-01-01T00:00:00Z").getEpochSecond();
  private static final long MICROS = TimeUnit.SECONDS.toMicros(1);

  private WireTime() {}

  static Instant read(byte[] wire) {
    long micros = ByteBuffer.wrap(wire).getLong();
    long nanos = TimeUnit.MICROSECONDS.toNanos(Math.floorMod(micros, MICROS));
    return Instant.ofEpochSecond(EPOCH_SECOND + Math.floorDiv(micros, MICROS), nanos);
  }
}
