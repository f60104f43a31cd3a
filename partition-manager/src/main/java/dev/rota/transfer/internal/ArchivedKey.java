package dev.rota.transfer.internal;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the key of an archived file says.
 *
 * @param tenant the number of the tenant
 * @param hour when its segment was opened, as PostgreSQL reads it
 * @param seq the number of the segment
 * @param text the key itself
 */
record ArchivedKey(int tenant, String hour, int seq, String text) {

  private static final Pattern KEY =
      Pattern.compile(
          "tenant=(\\d{1,9})/hour=(\\d{4}-\\d\\d-\\d\\dT\\d\\d)Z/seq=(\\d{1,9})\\.parquet");

  /** What the keys of a tenant begin with. */
  static String prefix(int tenant) {
    return "tenant=" + tenant + "/";
  }

  /** Empty if it is not one of Rota's. */
  static Optional<ArchivedKey> of(String key) {
    Matcher parts = KEY.matcher(key);
    return parts.matches()
        ? Optional.of(
            new ArchivedKey(
                Integer.parseInt(parts.group(1)),
                parts.group(2) + ":00:00Z",
                Integer.parseInt(parts.group(3)),
                key))
        : Optional.empty();
  }
}
