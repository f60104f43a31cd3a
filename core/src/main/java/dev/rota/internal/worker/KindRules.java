package dev.rota.internal.worker;

import dev.rota.RetryPolicy;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What holds for tasks of a kind. Filled by the builder, then never changed. */
final class KindRules {

  private final Map<String, RetryPolicy> retries = new HashMap<>();
  private final Map<String, Duration> timeLimits = new HashMap<>();
  private RetryPolicy standardRetry;

  KindRules(RetryPolicy standardRetry) {
    this.standardRetry = standardRetry;
  }

  KindRules(KindRules other) {
    this(other.standardRetry);
    retries.putAll(other.retries);
    timeLimits.putAll(other.timeLimits);
  }

  void retry(RetryPolicy policy) {
    standardRetry = policy;
  }

  void retry(String kind, RetryPolicy policy) {
    retries.put(kind, policy);
  }

  void timeLimit(String kind, Duration limit) {
    timeLimits.put(kind, limit);
  }

  RetryPolicy retryOf(String kind) {
    return retries.getOrDefault(kind, standardRetry);
  }

  /** How long a handler may run; null for as long as it likes. */
  @Nullable Duration timeLimitOf(String kind) {
    return timeLimits.get(kind);
  }

  void requireKnown(Set<String> kinds) {
    Set<String> unknown = new LinkedHashSet<>(retries.keySet());
    unknown.addAll(timeLimits.keySet());
    unknown.removeAll(kinds);
    if (!unknown.isEmpty()) {
      throw new IllegalStateException(
          "kind '"
              + unknown.iterator().next()
              + "' has a retry policy or a time limit and no handler; give it one, or drop them");
    }
  }
}
