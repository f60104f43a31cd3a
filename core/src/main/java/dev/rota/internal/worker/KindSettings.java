package dev.rota.internal.worker;

import dev.rota.RetryPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What holds for tasks of a kind.
 *
 * @param standardRetry how failed tasks of a kind without a policy of its own are retried
 * @param retries the policies of other kinds
 * @param timeLimits how long handlers may run, of the kinds that have a limit
 * @param concurrencies how many handlers run at once, of the kinds that have a number of their own
 */
public record KindSettings(
    RetryPolicy standardRetry,
    Map<String, RetryPolicy> retries,
    Map<String, Duration> timeLimits,
    Map<String, Integer> concurrencies) {

  public KindSettings {
    retries = Map.copyOf(retries);
    timeLimits = Map.copyOf(timeLimits);
    concurrencies = Collections.unmodifiableMap(new LinkedHashMap<>(concurrencies));
  }

  RetryPolicy retryOf(String kind) {
    return retries.getOrDefault(kind, standardRetry);
  }

  /** The time limit of a handler; null if it has none. */
  @Nullable Duration timeLimitOf(String kind) {
    return timeLimits.get(kind);
  }

  /**
   * Groups the kinds of a worker by their limits. The first group has the kinds without a limit of
   * their own, if there are any; each other kind is a group.
   */
  List<KindQueue.Group> groups(Set<String> kinds) {
    Set<String> others = new LinkedHashSet<>(kinds);
    others.removeAll(concurrencies.keySet());
    List<KindQueue.Group> groups = new ArrayList<>();
    if (!others.isEmpty()) {
      groups.add(new KindQueue.Group(others, KindQueue.Group.NO_LIMIT));
    }
    concurrencies.forEach((kind, limit) -> groups.add(new KindQueue.Group(Set.of(kind), limit)));
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
