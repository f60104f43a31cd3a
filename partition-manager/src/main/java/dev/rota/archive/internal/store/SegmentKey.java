package dev.rota.archive.internal.store;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The key of the file of a segment. The archiver inserts a key before it has read the segment, so
 * the statement that does it computes the same text; a test compares both.
 *
 * @param tenant the number of the tenant
 * @param hour the hour in which the segment was opened
 * @param seq the number of the segment
 */
public record SegmentKey(int tenant, Instant hour, int seq) {

  private static final String TENANT = "tenant=";

  private static final Pattern KEY =
      Pattern.compile(TENANT + "(\\d{1,9})/hour=([^/]+)/seq=(\\d{1,9})\\.parquet");

  private static final DateTimeFormatter HOUR =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HHX", Locale.ROOT).withZone(ZoneOffset.UTC);

  /** Creates the key of a segment that was opened at the given time. */
  public static SegmentKey of(int tenant, Instant openedAt, int seq) {
    return new SegmentKey(tenant, openedAt.truncatedTo(ChronoUnit.HOURS), seq);
  }

  /** Parses a key; empty if it is not in this form. */
  public static Optional<SegmentKey> parse(String key) {
    Matcher parts = KEY.matcher(key);
    if (!parts.matches()) {
      return Optional.empty();
    }
    try {
      SegmentKey parsed =
          of(
              Integer.parseInt(parts.group(1)),
              HOUR.parse(parts.group(2), Instant::from),
              Integer.parseInt(parts.group(3)));
      return parsed.text().equals(key) ? Optional.of(parsed) : Optional.empty();
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }

  /** The prefix of the keys of all tenants. */
  public static String prefix() {
    return TENANT;
  }

  /** The prefix of the keys of one tenant. */
  public static String prefix(int tenant) {
    return TENANT + tenant + "/";
  }

  /** Formats the key as it is in the store. */
  public String text() {
    return prefix(tenant) + "hour=" + HOUR.format(hour) + "/seq=" + seq + ".parquet";
  }
}
