package dev.rota.limits;

import dev.rota.internal.text.SafeText;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How many bytes of payloads a tenant may enqueue in each hour, day or month of the calendar, in
 * UTC.
 *
 * @param bytes 1 to 10<sup>18</sup>
 * @param per {@code HOURS}, {@code DAYS} or {@code MONTHS}
 * @see Limits#maxPayload(long, ChronoUnit)
 */
public record PayloadQuota(long bytes, ChronoUnit per) {

  private static final long MOST_BYTES = 1_000_000_000_000_000_000L;
  private static final int KILO = 1_024;
  private static final List<String> SIZES = List.of("", "kB", "MB", "GB", "TB");
  private static final Pattern FORM =
      Pattern.compile("(\\d{1,18}|10{18})(|kB|MB|GB|TB)/(hour|day|month)");

  /**
   * Checks the values.
   *
   * @throws IllegalArgumentException if a value is out of range
   */
  public PayloadQuota {
    if (bytes < 1 || bytes > MOST_BYTES) {
      throw new IllegalArgumentException(
          "maxPayload is "
              + bytes
              + " bytes; it must be 1 to "
              + MOST_BYTES
              + "; to refuse all tasks, close the tenant");
    }
    if (per != ChronoUnit.HOURS && per != ChronoUnit.DAYS && per != ChronoUnit.MONTHS) {
      throw new IllegalArgumentException(
          "the period of maxPayload is " + per + "; it must be HOURS, DAYS or MONTHS");
    }
  }

  /**
   * Reads a quota such as {@code 1GB/day}, {@code 500MB/hour} or {@code 8192/month}. A kB is 1,024
   * bytes, and so on for MB, GB and TB.
   *
   * @param text the text
   * @return the quota
   * @throws IllegalArgumentException if the text has another form, or the size is out of range
   */
  public static PayloadQuota parse(String text) {
    Matcher form = FORM.matcher(text);
    if (!form.matches()) {
      throw new IllegalArgumentException(
          "maxPayload is '"
              + SafeText.of(text)
              + "'; it must be such as 1GB/day, 500MB/hour or 8192/month");
    }
    double factor = Math.pow(KILO, SIZES.indexOf(form.group(2)));
    long count = Long.parseLong(form.group(1));
    // What is too much may not fit into a long.
    long bytes = count > MOST_BYTES / factor ? Long.MAX_VALUE : count * (long) factor;
    return new PayloadQuota(bytes, unit(form.group(3)));
  }

  private static ChronoUnit unit(String period) {
    return switch (period) {
      case "hour" -> ChronoUnit.HOURS;
      case "day" -> ChronoUnit.DAYS;
      default -> ChronoUnit.MONTHS;
    };
  }

  /**
   * The period in words.
   *
   * @return {@code hour}, {@code day} or {@code month}
   */
  public String period() {
    return per == ChronoUnit.HOURS ? "hour" : per == ChronoUnit.DAYS ? "day" : "month";
  }

  /** The quota in the form of {@link #parse}. */
  @Override
  public String toString() {
    long count = bytes;
    int size = 0;
    while (count % KILO == 0 && size < SIZES.size() - 1) {
      count /= KILO;
      size++;
    }
    return count + SIZES.get(size) + "/" + period();
  }
}
