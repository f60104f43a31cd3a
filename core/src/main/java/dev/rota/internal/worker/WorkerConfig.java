package dev.rota.internal.worker;

import dev.rota.DeliveryMode;
import dev.rota.RetryPolicy;
import dev.rota.internal.claim.Claimer;
import dev.rota.internal.config.RotaConfig;
import dev.rota.internal.settle.ClaimedBatch.BatchEnd;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import org.jspecify.annotations.Nullable;

/**
 * The settings of one worker.
 *
 * @param rota the settings of its Rota
 * @param handlers its handlers
 * @param rules what holds for each kind
 * @param running how handlers run
 * @param claiming how work is found and claimed
 */
public record WorkerConfig(
    RotaConfig rota, Handlers handlers, KindSettings rules, Running running, Claiming claiming) {

  private static final int TRANSACTIONAL_BATCH = 50;

  /** The number of claims that fit into the held bytes. */
  private static final int CLAIMS_HELD = 8;

  /**
   * How handlers run.
   *
   * @param mode what the worker promises
   * @param concurrency how many handlers run at once
   * @param headroom how many handlers are kept from long tasks
   * @param executor where handlers run; null for a pool of the worker's own
   * @param hourlyStatistics whether the worker adds up what becomes of attempts
   */
  public record Running(
      DeliveryMode mode,
      int concurrency,
      int headroom,
      @Nullable ExecutorService executor,
      boolean hourlyStatistics) {}

  /**
   * How work is found and claimed.
   *
   * @param batchSize the most tasks of a claim from one tenant
   * @param heldBytes how many bytes of tasks to hold at most
   * @param pollInterval the longest pause between two looks while there is nothing to do
   * @param pools the pools of tenants to serve
   * @param shards how many workers visit a tenant; {@link #ALL_WORKERS} for all
   */
  public record Claiming(
      int batchSize, long heldBytes, Duration pollInterval, Set<String> pools, int shards) {

    /** The number of workers that visit a tenant without shards. */
    public static final int ALL_WORKERS = 0;

    /** Whether a tenant is visited by some workers alone. */
    public boolean isSharded() {
      return shards != ALL_WORKERS;
    }
  }

  /** Checks that the settings fit together. */
  public WorkerConfig {
    if (handlers.kinds().isEmpty()) {
      throw new IllegalStateException("a worker needs a handler: call handle(kind, handler)");
    }
    requireFitting(handlers, running.mode());
    if (running.headroom() >= running.concurrency()) {
      throw new IllegalStateException(
          "headroom of %d leaves no handler for long tasks: it must be less than concurrency, %d"
              .formatted(running.headroom(), running.concurrency()));
    }
    rules.requireKnown(handlers.kinds());
  }

  private static void requireFitting(Handlers handlers, DeliveryMode mode) {
    boolean transactional = mode == DeliveryMode.TRANSACTIONAL;
    if (transactional ? handlers.hasOthers() : handlers.hasTransactional()) {
      throw new IllegalStateException(
          transactional
              ? "delivery TRANSACTIONAL takes only handlers given to handleInTransaction or"
                  + " stageInTransaction"
              : "handleInTransaction needs delivery(TRANSACTIONAL), as stageInTransaction does, not "
                  + mode);
    }
    if (mode == DeliveryMode.FIRE_AND_FORGET && handlers.hasStages()) {
      throw new IllegalStateException(
          "stages of a pipeline need delivery LEASED or TRANSACTIONAL: FIRE_AND_FORGET settles"
              + " nothing, so that no task could go to its next stage");
    }
  }

  /** The kinds that have a handler, with their former names. */
  public Set<String> kinds() {
    return handlers.kinds();
  }

  /** The groups of kinds that are claimed and limited apart from each other. */
  public List<KindSettings.Group> groups() {
    return rules.groups(handlers.kinds());
  }

  /** The kinds of each group. */
  public List<Set<String>> kindsOfGroups() {
    return groups().stream().map(KindSettings.Group::kinds).toList();
  }

  /** What claims a group. One of them looks for kinds that none of them knows. */
  public Claimer claimer(Claimer.Factory claimers, int group, BatchEnd end) {
    Set<String> known = group == 0 ? handlers.kinds() : null;
    return claimers.claimer(groups().get(group).kinds(), end, known, claimBytes());
  }

  public DeliveryMode mode() {
    return running.mode();
  }

  public int concurrency() {
    return running.concurrency();
  }

  /**
   * The batch size. A transaction that runs handlers holds the tenant's gate throughout, so it
   * stays short.
   */
  public int batchSize() {
    return mode() == DeliveryMode.TRANSACTIONAL
        ? Math.min(claiming.batchSize(), TRANSACTIONAL_BATCH)
        : claiming.batchSize();
  }

  /** How many bytes of tasks one claim may bring: several threads claim at a time. */
  long claimHeldBytes() {
    return claiming.heldBytes() / CLAIMS_HELD;
  }

  /** The same in bytes of payloads as the database counts them, at two bytes a character. */
  private long claimBytes() {
    return claimHeldBytes() / 2;
  }

  /**
   * What holds for tasks of a kind.
   *
   * @param standardRetry how failed tasks of a kind without a policy of its own are retried
   * @param retries the policies of other kinds
   * @param timeLimits how long handlers may run, of the kinds that have a limit
   * @param concurrencies how many handlers run at once, of the kinds that have a number of their
   *     own
   * @param formerNames further names of kinds, with the settings of their kind unless they have
   *     others
   */
  public record KindSettings(
      RetryPolicy standardRetry,
      Map<String, RetryPolicy> retries,
      Map<String, Duration> timeLimits,
      Map<String, Integer> concurrencies,
      Map<String, List<String>> formerNames) {

    /**
     * Kinds that are claimed together and share a limit: each kind that has a limit of its own,
     * with its former names, and all others.
     *
     * @param kinds the kinds
     * @param limit how many of their handlers run at once; {@link #NO_LIMIT} for as many as the
     *     worker runs
     */
    record Group(Set<String> kinds, int limit) {

      static final int NO_LIMIT = Integer.MAX_VALUE;

      boolean isLimited() {
        return limit != NO_LIMIT;
      }
    }

    public KindSettings {
      retries = withFormer(retries, formerNames);
      timeLimits = withFormer(timeLimits, formerNames);
      concurrencies = Collections.unmodifiableMap(new LinkedHashMap<>(concurrencies));
      formerNames = Map.copyOf(formerNames);
    }

    private static <V> Map<String, V> withFormer(
        Map<String, V> settings, Map<String, List<String>> formerNames) {
      Map<String, V> all = new HashMap<>();
      settings.forEach(
          (kind, setting) ->
              formerNames.getOrDefault(kind, List.of()).forEach(name -> all.put(name, setting)));
      all.putAll(settings);
      return Map.copyOf(all);
    }

    RetryPolicy retryOf(String kind) {
      return retries.getOrDefault(kind, standardRetry);
    }

    /** The time limit of a handler; null if it has none. */
    @Nullable Duration timeLimitOf(String kind) {
      return timeLimits.get(kind);
    }

    /**
     * Groups the kinds of a worker by their limits. The first group has the kinds without a limit
     * of their own, if there are any; each other kind is a group with its former names.
     */
    List<Group> groups(Set<String> kinds) {
      Set<String> others = new LinkedHashSet<>(kinds);
      List<Group> groups = new ArrayList<>();
      concurrencies.forEach((kind, limit) -> groups.add(new Group(names(kind), limit)));
      groups.forEach(group -> others.removeAll(group.kinds()));
      if (!others.isEmpty()) {
        groups.add(0, new Group(others, Group.NO_LIMIT));
      }
      return List.copyOf(groups);
    }

    /** The names that share the limit of a kind: its own, and former ones without a limit. */
    private Set<String> names(String kind) {
      Set<String> names = new LinkedHashSet<>(formerNames.getOrDefault(kind, List.of()));
      names.removeAll(concurrencies.keySet());
      names.add(kind);
      return Set.copyOf(names);
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
                + "' has a retry policy, a time limit or a concurrency and no handler; give it one,"
                + " or drop them");
      }
    }
  }
}
