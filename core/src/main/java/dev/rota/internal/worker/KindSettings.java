package dev.rota.internal.worker;

import dev.rota.RetryPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What holds for tasks of a kind. Filled by the builder, then never changed. */
public final class KindSettings {

  private final Map<String, RetryPolicy> retries = new HashMap<>();
  private final Map<String, Duration> timeLimits = new HashMap<>();
  private final Map<String, Integer> concurrencies = new LinkedHashMap<>();
  private RetryPolicy standardRetry;

  KindSettings(RetryPolicy standardRetry) {
    this.standardRetry = standardRetry;
  }

  KindSettings(KindSettings other) {
    this(other.standardRetry);
    retries.putAll(other.retries);
    timeLimits.putAll(other.timeLimits);
    concurrencies.putAll(other.concurrencies);
  }

  public void retry(RetryPolicy policy) {
    standardRetry = policy;
  }

  public void retry(String kind, RetryPolicy policy) {
    retries.put(kind, policy);
  }

  public void timeLimit(String kind, Duration limit) {
    timeLimits.put(kind, limit);
  }

  public void concurrency(String kind, int handlers) {
    concurrencies.put(kind, handlers);
  }

  RetryPolicy retryOf(String kind) {
    return retries.getOrDefault(kind, standardRetry);
  }

  /** How long a handler may run; null for as long as it likes. */
  @Nullable Duration timeLimitOf(String kind) {
    return timeLimits.get(kind);
  }

  /**
   * The kinds of a worker by what limits them: those without a limit of their own first, if there
   * are any, then each of the others.
   */
  List<KindGroup> groups(Set<String> kinds) {
    Set<String> others = new LinkedHashSet<>(kinds);
    others.removeAll(concurrencies.keySet());
    List<KindGroup> groups = new ArrayList<>();
    if (!others.isEmpty()) {
      groups.add(new KindGroup(others, KindGroup.NO_LIMIT));
    }
    concurrencies.forEach((kind, limit) -> groups.add(new KindGroup(Set.of(kind), limit)));
    return List.copyOf(groups);
  }

  void requireKnown(Set<String> kinds) {
    Set<String> unknown = new LinkedHashSet<>(retries.keySet());
    unknown.addAll(timeLimits.keySet());
    unknown.addAll(concurrencies.keySet());
    unknown.removeAll(kinds);
    if (!unknown.isEmpty()) {
      throw new IllegalStateException(
          "kind '"
              + unknown.iterator().next()
              + "' has a retry policy, a time limit or a concurrency and no handler; give it one, or"
              + " drop them");
    }
  }
}
