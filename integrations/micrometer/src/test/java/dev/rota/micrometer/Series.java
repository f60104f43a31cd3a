package dev.rota.micrometer;

import java.util.Arrays;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The names of the series that a meter has in Prometheus. */
final class Series {

  private static final Pattern NAME = Pattern.compile("\\brota_[a-z_]+");

  private Series() {}

  /** Those of one meter. */
  static Set<String> of(RotaMeter meter) {
    String name = meter.id().replace('.', '_');
    return switch (meter.type()) {
      case COUNTER -> Set.of(name + "_total");
      case BYTES -> Set.of(name + "_bytes_total");
      case GAUGE -> Set.of(name);
      case AGE -> Set.of(name + "_seconds");
      case SHORT_TIMER, LONG_TIMER ->
          Stream.of("count", "sum", "bucket", "max")
              .map(part -> name + "_seconds_" + part)
              .collect(Collectors.toSet());
    };
  }

  /** Those of all meters. */
  static Set<String> all() {
    return Arrays.stream(RotaMeter.values())
        .map(Series::of)
        .flatMap(Collection::stream)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Those that a text names, such as an expression. */
  static Set<String> in(String text) {
    return NAME.matcher(text)
        .results()
        .map(MatchResult::group)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Those of a scrape, without comments. */
  static Set<String> scraped(String scrape) {
    return scrape
        .lines()
        .filter(line -> line.startsWith("rota_"))
        .map(line -> line.replaceFirst("[{ ].*", ""))
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
