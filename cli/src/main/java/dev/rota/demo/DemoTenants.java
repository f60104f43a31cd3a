package dev.rota.demo;

import java.security.SecureRandom;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/** Names of tenants for demos. */
final class DemoTenants {

  private DemoTenants() {}

  /** Returns names that no earlier demo in this database has used. */
  static List<String> names(int count) {
    String run = Long.toString(new SecureRandom().nextLong() >>> 28, Character.MAX_RADIX);
    return IntStream.range(0, count)
        .mapToObj(i -> String.format(Locale.ROOT, "demo-%s-%04d", run, i))
        .toList();
  }
}
