package dev.rota.history;

import dev.rota.BatchHandler;
import java.time.Duration;
import java.time.Instant;

/**
 * What the attempts of one kind came to that ended within one hour.
 *
 * @param hour the first moment of the hour, by the clock of the database; hours are those of UTC
 * @param kind the kind
 * @param ended how many attempts ended, and how
 * @param running how long their handlers ran; a call of a {@link BatchHandler} is shared out among
 *     its tasks
 * @param waiting how long tasks waited for their first attempt: from their enqueue until their
 *     handler began, a delay that was asked for included. Later attempts do not count: they wait
 *     because the one before failed
 * @see History#statistics(Instant, Instant)
 */
public record HourlyStatistics(
    Instant hour, String kind, Ended ended, Times running, Times waiting) {

  /**
   * How attempts ended. One whose outcome was dropped because its batch had lost its lease is in
   * none of them, nor is one that was handed back before it began.
   *
   * @param done attempts that succeeded
   * @param failed attempts that failed and that another one follows
   * @param dead attempts that failed, with no other to follow
   * @param cancelled attempts that were cancelled while they ran
   */
  public record Ended(long done, long failed, long dead, long cancelled) {

    /**
     * All of them.
     *
     * @return the number of attempts that ended
     */
    public long count() {
      return done + failed + dead + cancelled;
    }

    /**
     * Those that failed.
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
