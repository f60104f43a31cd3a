package dev.rota.internal.maintenance;

import dev.rota.internal.db.BoundStatement;
import dev.rota.internal.db.Session;
import dev.rota.internal.log.Logs;
import dev.rota.internal.sql.Sql;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.function.LongSupplier;
import org.slf4j.Logger;

/**
 * Protects what is deleted by its age from a clock of the database that is wrong for a while: a
 * year ahead, it would end a year of history. What is kept for a time ends only after the clock has
 * run evenly for a hundredth of that time. Used by one thread.
 */
public final class ClockGuard {

  /** After this time of even running, the clock is trusted for any age. */
  public static final Duration TRIAL = Duration.ofHours(1);

  private static final Sql READ_THE_CLOCK_FOR_DELETIONS = Sql.named("read_the_clock_for_deletions");
  private static final Logger log = Logs.of(ClockGuard.class);
  private static final int PARTS = 100;

  /** Longer than any setting. */
  private static final Duration ANY_AGE = Duration.ofDays(1_000_000);

  private final Duration trial;
  private final ClockWatch clock;

  /**
   * Creates the guard of one leadership.
   *
   * @param trial usually {@link #TRIAL}
   */
  public ClockGuard(LongSupplier nanoTime, Duration trial) {
    this.trial = trial;
    this.clock = new ClockWatch(nanoTime);
  }

  /**
   * Reads the clock, and returns the longest time of keeping that may end by it. Call it in the
   * transaction that deletes, or that decides what to delete.
   */
  public Duration trustedFor(Session session) throws SQLException {
    OffsetDateTime now =
        session
            .run(
                BoundStatement.query(
                    READ_THE_CLOCK_FOR_DELETIONS, row -> row.getObject(1, OffsetDateTime.class)))
            .get(0);
    Duration step = clock.note(now.toInstant());
    if (!step.isZero()) {
      log.warn(
          "the clock of the database stepped by {}, to {}; the Rota daemon deletes nothing by its"
              + " age until the clock has run evenly for {}",
          step,
          now,
          trial);
    }
    Duration even = clock.even();
    return even.compareTo(trial) >= 0 ? ANY_AGE : even.multipliedBy(PARTS);
  }

  /** Whether what is kept for this time may end by the present clock. */
  public boolean trusts(Session session, Duration kept) throws SQLException {
    return trustedFor(session).compareTo(kept) >= 0;
  }
}
