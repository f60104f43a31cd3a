package dev.rota.history;

import dev.rota.BatchHandler;
import java.time.Duration;
import java.time.Instant;

/**
 * The statistics of the attempts of one kind that ended within one hour.
 *
 * @param hour the first moment of the hour, by the clock of the database; hours are those of UTC
 * @param kind the kind
 * @param ended how many attempts ended, and how
 * @param running the run time of their handlers; the time of a {@link BatchHandler} call is divided
 *     among its tasks
 * @param waiting the time from the enqueue of a task until the handler of its first attempt began,
 *     including a requested delay. Later attempts do not count: they wait because the previous one
 *     failed
 * @see History#statistics(Instant, Instant)
 */
public record HourlyStatistics(
    Instant hour, String kind, Ended ended, Times running, Times waiting) {

  /**
   * The number of ended attempts by outcome. Attempts whose outcome was dropped because their batch
   * had lost its lease are not counted, nor are those handed back before they began.
   *
   * @param done attempts that succeeded
   * @param failed attempts that failed and are followed by another one
   * @param dead attempts that failed, with no other to follow
   * @param cancelled attempts that were cancelled while they ran
   */
  public record Ended(long done, long failed, long dead, long cancelled) {

    /**
     * The number of all ended attempts.
     *
     * @return the number of attempts that ended
     */
    public long count() {
      return done + failed + dead + cancelled;
    }

    /**
     * The number of failed attempts.
     *
     * @return the number of attempts that failed, whether or not another one follows
     */
    public long failures() {
      return failed + dead;
    }
  }

  /**
   * A sum of times.
   *
   * @param count how many times were added up
   * @param sum their sum, to the microsecond
   */
  public record Times(long count, Duration sum) {

    /**
     * The sum divided by the number.
     *
     * @return the mean; zero if there is nothing to divide
     */
    public Duration mean() {
      return count == 0 ? Duration.ZERO : sum.dividedBy(count);
    }
  }
}
