package dev.rota.daemon;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/**
 * Commits repeatedly, as a daemon does, and reports whether a commit took long. By it a test of
 * promptness detects that the machine stalled.
 */
final class Pulse {

  private static final long LONG_NANOS = Duration.ofMillis(300).toNanos();

  private final Connection connection;
  private long last;
  private long longest;

  Pulse(DaemonFixture fixture) throws SQLException {
    connection = fixture.closeLater(fixture.database().connect());
    DaemonFixture.execute(connection, "create table pulse (beat_at timestamptz default now())");
  }

  /** From now on. */
  void begin() {
    last = System.nanoTime();
    longest = 0;
  }

  void beat() throws SQLException {
    DaemonFixture.execute(connection, "insert into pulse default values");
    long now = System.nanoTime();
    longest = Math.max(longest, now - last);
    last = now;
  }

  /** Whether the time from one beat to the next was long. */
  boolean stood() {
    return longest > LONG_NANOS;
  }
}
