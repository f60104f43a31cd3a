package dev.rota.daemon.internal.leader;

import dev.rota.internal.log.Logs;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Tells why a daemon does not lead: which session holds the lock. The first time that it stands by,
 * and every ten minutes. Used by one thread.
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

  /** Asks the server for the holder of the lock if the log has not told it lately. */
  void tell() throws SQLException {
    long now = System.nanoTime();
    if (toldAt != null && now - toldAt < INTERVAL) {
      return;
    }
    toldAt = now;
    leadership.holder().ifPresent(holder -> log.info("{} stands by: {} leads", who, holder));
  }

  /** The next time that the daemon stands by is a first time again. */
  void forget() {
    toldAt = null;
  }
}
