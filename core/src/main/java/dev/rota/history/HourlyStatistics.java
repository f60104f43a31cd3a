package dev.rota.history;

import dev.rota.BatchHandler;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

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

    /**
     * Adds numbers, such as those of another hour.
     *
     * @param other the numbers to add
     * @return the sums
     */
    public Ended plus(Ended other) {
      return new Ended(
          done + other.done, failed + other.failed, dead + other.dead, cancelled + other.cancelled);
    }
  }

  /**
   * A sum of times. Immutable.
   *
   * @param count how many times were added up
   * @param sum their sum, to the microsecond
   * @param buckets how many of them were below a millisecond, from one to below two, from two to
   *     below four and so on. Zeros at the end are left out; the 32nd has no upper bound. Times
   *     that processes of an older version wrote are missing
   */
  public record Times(long count, Duration sum, List<Long> buckets) {

    /**
     * Copies the list.
     *
     * @param count how many times were added up
     * @param sum their sum
     * @param buckets how many there are of each size
     */
    public Times {
      buckets = List.copyOf(buckets);
    }

    /**
     * The sum divided by the number.
     *
     * @return the mean; zero if there is nothing to divide
     */
    public Duration mean() {
      return count == 0 ? Duration.ZERO : sum.dividedBy(count);
    }

    /**
     * Adds times, such as those of another hour.
     *
     * @param other the times to add
     * @return the sums
     */
    public Times plus(Times other) {
      List<Long> both =
          IntStream.range(0, Math.max(buckets.size(), other.buckets.size()))
              .mapToObj(i -> at(buckets, i) + at(other.buckets, i))
              .toList();
      return new Times(count + other.count, sum.plus(other.sum), both);
    }

    private static long at(List<Long> buckets, int place) {
      return place < buckets.size() ? buckets.get(place) : 0;
    }

    /**
     * Estimates a quantile, such as 0.95 for the time that 95 % of all did not exceed.
     *
     * @param part the part of all times, above 0 and up to 1
     * @return the upper bound of the bucket that has it, at most twice the exact value from a
     *     millisecond on; empty if no bucket has any
     * @throws IllegalArgumentException if the part is not within its bounds
     */
    public Optional<Duration> quantile(double part) {
      if (!(part > 0 && part <= 1)) {
        throw new IllegalArgumentException(
            "the part is " + part + "; use one above 0 and up to 1, such as 0.95");
      }
      double wanted = part * buckets.stream().mapToLong(Long::longValue).sum();
      long below = 0;
      for (int i = 0; i < buckets.size(); i++) {
        below += buckets.get(i);
        if (below > 0 && below >= wanted) {
          return Optional.of(Duration.ofMillis(1L << i));
        }
      }
      return Optional.empty();
    }
  }
}
