package dev.rota.internal.settle;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * The kinds of which a worker left tasks pending, since it has no handler for them. Each is
 * forgotten unless it is met again. Thread-safe.
 */
public final class LeftKinds {

  /** How long a kind that was met need not be looked for. */
  private static final long KNOWN_NANOS = TimeUnit.MINUTES.toNanos(10);

  /** How long a kind counts as left. Looks for it come late where a worker has much to do. */
  private static final long LEFT_NANOS = 2 * KNOWN_NANOS;

  private static final int MOST = 50;

  private final LongSupplier nanoTime;
  private final Map<Integer, Map<String, Long>> metAt = new ConcurrentHashMap<>();

  /** Creates it without kinds. */
  public LeftKinds(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** Records that tasks of a kind are pending, and returns whether none of the tenant were yet. */
  public boolean meet(int tenant, String kind) {
    return metAt
            .computeIfAbsent(tenant, unused -> new ConcurrentHashMap<>())
            .put(kind, nanoTime.getAsLong())
        == null;
  }

  /** The kinds of a tenant that were met so lately that they need not be looked for. */
  public Set<String> known(int tenant) {
    return within(metAt.getOrDefault(tenant, Map.of()), KNOWN_NANOS);
  }

  /** The kinds that were met lately at any tenant, in order; at most 50. */
  Set<String> lately() {
    Set<String> kinds = new TreeSet<>();
    metAt.values().forEach(met -> kinds.addAll(within(met, LEFT_NANOS)));
    return kinds.stream().limit(MOST).collect(Collectors.toCollection(TreeSet::new));
  }

  private Set<String> within(Map<String, Long> met, long nanos) {
    long now = nanoTime.getAsLong();
    return met.entrySet().stream()
        .filter(each -> now - each.getValue() < nanos)
        .map(Map.Entry::getKey)
        .collect(Collectors.toSet());
  }
}
