package dev.rota.daemon.internal.leader;

import dev.rota.internal.log.Logs;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Logs why a daemon does not lead: the session that holds the lock, when the daemon begins to stand
 * by and every ten minutes. Used by one thread.
 */
final class StandbyLog {

  private static final Logger log = Logs.of(StandbyLog.class);
  private static final long INTERVAL = TimeUnit.MINUTES.toNanos(10);

  private final String who;
  private final LeaderLock leadership;
  private @Nullable Long toldAt;

  StandbyLog(String who, LeaderLock leadership) {
    this.who = who;
    this.leadership = leadership;
  }

  /** Queries the holder of the lock and logs it, unless it was logged recently. */
  void tell() throws SQLException {
    long now = System.nanoTime();
    if (toldAt != null && now - toldAt < INTERVAL) {
      return;
    }
    toldAt = now;
    leadership.holder().ifPresent(holder -> log.info("{} stands by: {} leads", who, holder));
  }

  /** Resets the log, so that the next standby is logged at once. */
  void forget() {
    toldAt = null;
  }
}
