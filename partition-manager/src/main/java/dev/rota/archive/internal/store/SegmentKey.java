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
 * The key of the file of a segment. The archiver notes a key before anybody has read the segment,
 * so the statement that does it makes the same text; a test holds both together.
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

  /** Of a segment that was opened then. */
  public static SegmentKey of(int tenant, Instant openedAt, int seq) {
    return new SegmentKey(tenant, openedAt.truncatedTo(ChronoUnit.HOURS), seq);
  }

  /** Empty if it is not a key as they are written here. */
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

  /** What the keys of all tenants begin with. */
  public static String prefix() {
    return TENANT;
  }

  /** What the keys of one tenant begin with. */
  public static String prefix(int tenant) {
    return TENANT + tenant + "/";
  }

  /** As it is in the store. */
  public String text() {
    return prefix(tenant) + "hour=" + HOUR.format(hour) + "/seq=" + seq + ".parquet";
  }
}
