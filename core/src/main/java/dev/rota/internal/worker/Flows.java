package dev.rota.internal.worker;

import dev.rota.internal.claim.TaskRules;
import dev.rota.internal.worker.FlowPrefetch.RecentPeak;
import dev.rota.internal.worker.FlowPrefetch.RunCost;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The flows of a worker: the cost of each tenant's tasks over all kinds, and the decision which of
 * them may run beside others. One lock guards them and the queues that are ordered by them.
 * Thread-safe.
 *
 * <p>Start-time fair queueing by run time: virtual time is the tag of the flow that was served
 * last. A flow is charged the estimate of a task when it begins, more while it runs longer, and the
 * difference when it ends. That is the method of 2DFQ (Mace et al., SIGCOMM 2016).
 */
public final class Flows implements TenantQueue.Order {

  /** How long a tenant may have no tasks here without losing turns, where weights decide. */
  private static final double CREDIT_SECONDS = 1;

  private static final long SHORT_REMEMBERED_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final long CHARGE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** The part of the time of a higher tier that lower ones get while they want it. */
  private static final double LOWER_TIERS_SHARE = 0.1;

  private final ReentrantLock lock = new ReentrantLock();
  private final Map<Integer, Flow> flows = new HashMap<>();
  // What else is known of the tenants that have flows.
  private final List<Map<Integer, ?>> maps = new ArrayList<>();
  private final int handlers;
  private final int mostLong;
  private final LongSupplier nanoTime;
  private volatile TaskRules rules = TaskRules.NONE;
  private final TreeMap<Integer, Tier> tiers = new TreeMap<>();
  private double owedToLower;
  private int active;
  private final RecentPeak recentlyActive;
  private int longRunning;
  private Sighting latestShort;
  private Sighting otherShort;
  private long chargedAt;
  private volatile boolean severalTenants = true;

  /** The time at which a short task of a tenant was seen. */
  private record Sighting(int tenant, long at) {}

  /**
   * Creates the flows of a worker with this number of handlers.
   *
   * @param headroom how many of them are reserved for short tasks while other tenants have some
   */
  public Flows(int handlers, int headroom, LongSupplier nanoTime) {
    this.handlers = handlers;
    this.mostLong = handlers - headroom;
    this.nanoTime = nanoTime;
    // A worker that has just started does not know yet which tenants will have tasks.
    Sighting start = new Sighting(0, nanoTime.getAsLong());
    this.latestShort = start;
    this.otherShort = start;
    this.chargedAt = start.at;
    this.recentlyActive = new RecentPeak(start.at);
  }

  /** Work that runs. */
  interface Charged {

    /** The charge of its flow. */
    Charge charge();
  }

  /**
   * Tasks of one kind that one handler runs.
   *
   * @param inTurn whether they run one after another, not in one call of the handler
   */
  record Work(String kind, int tasks, boolean inTurn) {}

  /** The charge of tasks to their flow while they run. Used under the lock. */
  static final class Charge {
    private final Flow flow;
    private final RunCost cost;
    private final boolean inTurn;
    private final long beganAt;
    private final double owed;
    private int tasks;
    private double seconds;
    private boolean counted;

    private Charge(Flow flow, RunCost cost, Work work, long beganAt, double owed) {
      this.owed = owed;
      this.flow = flow;
      this.cost = cost;
      this.tasks = work.tasks;
      this.inTurn = work.inTurn;
      this.beganAt = beganAt;
    }

    /** The number of its tasks. */
    int tasks() {
      return tasks;
    }

    /** When the first of them began. */
    long beganAt() {
      return beganAt;
    }

    private void upTo(double total) {
      flow.charge(total - seconds);
      seconds = total;
    }

    /** The seconds charged so far; after its end, the time that it took. */
    double seconds() {
      return seconds;
    }

    private double soFar(long now) {
      return (now - beganAt) / 1e9;
    }

    /** What one task took. Of tasks that ran in turn, one is taken to be the cause of a delay. */
    private double each(double total) {
      return inTurn && total > RunCost.TOGETHER ? total : total / tasks;
    }
  }

  /** The lock of the flows and queues. */
  ReentrantLock lock() {
    return lock;
  }

  /** Returns the flow of a tenant. Used under the lock. */
  Flow of(int tenant) {
    return flows.computeIfAbsent(
        tenant, number -> new Flow(number, weightOf(number), tierOf(number)));
  }

  /** Returns a new map by tenants, which forgets those without a flow. Used under the lock. */
  <T> Map<Integer, T> newMap() {
    Map<Integer, T> map = new HashMap<>();
    look(() -> maps.add(map));
    return map;
  }

  /**
   * Forgets tenants that the worker no longer serves, unless tasks of them wait or run, or there
   * are only a few.
   */
  void forgetAllBut(Set<Integer> served) {
    lock.lock();
    try {
      if (flows.size() > served.size()
          && flows.values().removeIf(flow -> !flow.isActive() && !served.contains(flow.tenant))) {
        maps.forEach(map -> map.keySet().retainAll(flows.keySet()));
      }
    } finally {
      lock.unlock();
    }
  }

  /** The number of flows. Used under the lock. */
  int size() {
    return flows.size();
  }

  private double weightOf(int tenant) {
    return rules == TaskRules.NONE ? TaskRules.STANDARD_WEIGHT : rules.weight(tenant);
  }

  private Tier tierOf(int tenant) {
    int level = rules == TaskRules.NONE ? TaskRules.STANDARD_TIER : rules.tier(tenant);
    return tiers.computeIfAbsent(level, each -> new Tier(each, nanoTime.getAsLong()));
  }

  /** Gives the flows the weights and tiers of other rules. What was charged before stays. */
  void apply(TaskRules other) {
    lock.lock();
    try {
      rules = other;
      owedToLower = 0;
      for (Flow flow : flows.values()) {
        flow.tier.count(flow, -1);
        flow.move(weightOf(flow.tenant()), tierOf(flow.tenant()));
        flow.tier.count(flow, 1);
      }
    } finally {
      lock.unlock();
    }
  }

  /** The flows of one level. Its virtual time is the tag of the one that was served last. */
  private static final class Tier {
    private final int level;
    private double virtualTime;
    private double activeWeight;
    private final RecentPeak recentWeight;
    private int active;
    private int waiting;

    Tier(int level, long now) {
      this.level = level;
      this.recentWeight = new RecentPeak(now);
    }

    /** Counts a flow that comes, 1, or goes, -1. */
    void count(Flow flow, int change) {
      if (flow.isActive()) {
        active += change;
        activeWeight += change * flow.weight;
      }
      waiting += flow.queuesWithTasks > 0 ? change : 0;
    }
  }

  /** Records that tasks of the flow wait in a queue in which none did. Used under the lock. */
  void waits(Flow flow) {
    if (!flow.isActive()) {
      flow.startAt(startOf(flow));
      active++;
      flow.tier.active++;
      flow.tier.activeWeight += flow.weight;
      flow.known = true;
      remember(flow.tier);
    }
    flow.tier.waiting += flow.queuesWithTasks == 0 ? 1 : 0;
    flow.queuesWithTasks++;
  }

  /** The tag of a flow if it came now, perhaps with no tasks here since a claim was late. */
  private double startOf(Flow flow) {
    boolean mayBeLate = flow.known && areUneven();
    double credit = mayBeLate ? CREDIT_SECONDS * handlers / weightBeside(flow) : 0;
    return Math.max(flow.tag(), flow.tier.virtualTime - credit);
  }

  /** The weight of the flows of its tier with that of a flow that is not active. */
  private double weightBeside(Flow flow) {
    return Math.max(weightOf(flow.tier), flow.tier.activeWeight + flow.weight);
  }

  /** Remembers how many flows there are: a late claim makes them few for a moment. */
  private void remember(Tier tier) {
    if (!areUneven()) {
      return;
    }
    long now = nanoTime.getAsLong();
    recentlyActive.add(active, now);
    tier.recentWeight.add(tier.activeWeight, now);
  }

  /** Records that no task of the flow waits in a queue now. Used under the lock. */
  void waitsNoMore(Flow flow) {
    flow.queuesWithTasks--;
    flow.tier.waiting -= flow.queuesWithTasks == 0 ? 1 : 0;
    rest(flow);
  }

  private void rest(Flow flow) {
    if (!flow.isActive()) {
      remember(flow.tier);
      active--;
      flow.tier.active--;
      flow.tier.activeWeight -= flow.weight;
    }
  }

  /** The time for {@link #begin} and {@link #end}, which may share one. */
  long now() {
    return nanoTime.getAsLong();
  }

  /** Begins tasks of an active flow, whose turn it was at this tag. Used under the lock. */
  Charge begin(Flow flow, Work work, double turn, long now) {
    flow.tier.virtualTime = Math.max(flow.tier.virtualTime, turn);
    RunCost cost = flow.cost(work.kind);
    Charge charge = new Charge(flow, cost, work, now, owedFor(flow));
    // A kind that is tried out may turn out to be long.
    if (cost.isLong() || !cost.isSeen()) {
      countAsLong(charge);
    }
    charge(charge, work.tasks * cost.seconds());
    cost.begin();
    flow.runningPieces++;
    return charge;
  }

  /** What lower tiers are owed for a second of a task of the flow, or have had by it. */
  private double owedFor(Flow flow) {
    if (tiers.size() == 1) {
      return 0;
    }
    if (waits(tiers.tailMap(flow.tier.level, false).values())) {
      return -1;
    }
    if (waits(tiers.headMap(flow.tier.level).values())) {
      return LOWER_TIERS_SHARE;
    }
    owedToLower = 0;
    return 0;
  }

  private static boolean waits(Collection<Tier> some) {
    return some.stream().anyMatch(tier -> tier.waiting > 0);
  }

  private void charge(Charge charge, double total) {
    owedToLower += charge.owed * (total - charge.seconds);
    charge.upTo(total);
  }

  /** Whether tenants have different weights or tiers. */
  boolean areUneven() {
    return rules != TaskRules.NONE && rules.areUneven();
  }

  /** Whether a task of a lower tier is due, if one waits. Used under the lock. */
  boolean isLowerOwed() {
    return owedToLower > 0;
  }

  /** Ends the charged tasks. Used under the lock. */
  void end(Charge charge, long now) {
    double took = charge.soFar(now);
    charge.cost.end(charge.each(took));
    charge(charge, took);
    if (charge.counted) {
      longRunning--;
    }
    if (!charge.cost.isLong()) {
      sawShort(charge.flow, now);
    }
    charge.flow.runningPieces--;
    rest(charge.flow);
  }

  private void countAsLong(Charge charge) {
    charge.counted = true;
    longRunning++;
  }

  /** Records that some of the charged tasks did not begin. Used under the lock. */
  void putBack(Charge charge, int tasks) {
    charge.tasks -= tasks;
  }

  /**
   * Charges work that runs longer than expected; does nothing most of the time.
   *
   * @return that work
   */
  <T extends Charged> List<T> chargeRunning(Collection<T> running) {
    lock.lock();
    try {
      long now = nanoTime.getAsLong();
      if (now - chargedAt < CHARGE_NANOS) {
        return List.of();
      }
      chargedAt = now;
      List<T> late = new ArrayList<>();
      for (T work : running) {
        Charge charge = work.charge();
        if (charge.soFar(now) > charge.seconds) {
          runsOn(charge, charge.soFar(now));
          late.add(work);
        }
      }
      return late;
    } finally {
      lock.unlock();
    }
  }

  private void runsOn(Charge charge, double soFar) {
    charge(charge, soFar);
    charge.cost.runs(charge.each(soFar));
    if (!charge.counted && charge.cost.isLong()) {
      countAsLong(charge);
    }
  }

  /**
   * Records that a task of the flow that is expected to be short waits, or has ended. Used under
   * the lock.
   */
  void sawShort(Flow flow, long now) {
    boolean same = latestShort.tenant == flow.tenant();
    if (!same) {
      otherShort = latestShort;
    }
    if (!same || now - latestShort.at > CHARGE_NANOS) {
      latestShort = new Sighting(flow.tenant(), now);
    }
  }

  /**
   * Whether a long task of a tenant may begin: there is headroom, or no other tenant needs it. Used
   * under the lock.
   */
  boolean mayRunLong(int tenant) {
    if (longRunning < mostLong || !severalTenants) {
      return true;
    }
    Sighting latest = latestShort;
    Sighting ofOthers = latest.tenant == tenant ? otherShort : latest;
    return nanoTime.getAsLong() - ofOthers.at >= SHORT_REMEMBERED_NANOS;
  }

  /**
   * Sets the number of registered tenants: a task of the only one need not leave room for others.
   */
  void registered(int count) {
    severalTenants = count > 1;
  }

  /** The part of the handlers that a flow has; 1 if it is alone. Used under the lock. */
  double share(Flow flow) {
    if (isAlone()) {
      return 1;
    }
    double ofTier = flow.weight / Math.max(weightOf(flow.tier), flow.weight);
    boolean isLower =
        tiers.size() > 1
            && tiers.tailMap(flow.tier.level, false).values().stream()
                .anyMatch(tier -> tier.active > 0);
    return isLower ? LOWER_TIERS_SHARE * ofTier : ofTier;
  }

  private double weightOf(Tier tier) {
    double present = tier.activeWeight;
    return areUneven() ? Math.max(present, tier.recentWeight.get(nanoTime.getAsLong())) : present;
  }

  /**
   * Whether no other flow waits or runs; nor did a moment ago, where weights decide. Used under the
   * lock.
   */
  boolean isAlone() {
    return active <= 1 && !(areUneven() && recentlyActive.get(nanoTime.getAsLong()) > 1);
  }

  /** Records how long a transaction has run tasks of a tenant. */
  void ran(int tenant, long nanos) {
    lock.lock();
    try {
      Flow flow = of(tenant);
      flow.startAt(flow.tier.virtualTime);
      flow.tier.virtualTime = flow.tag();
      flow.charge(nanos / 1e9);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public double tag(int tenant) {
    return look(() -> startOf(of(tenant)));
  }

  @Override
  public boolean isSated(int tenant) {
    return room(tenant) == 0;
  }

  /** How many more tasks of a tenant to claim by the rules; the most there is without a bound. */
  int room(int tenant) {
    TaskRules present = rules;
    return present == TaskRules.NONE ? Integer.MAX_VALUE : present.room(tenant);
  }

  @Override
  public <T> T look(Supplier<T> look) {
    lock.lock();
    try {
      return look.get();
    } finally {
      lock.unlock();
    }
  }

  /**
   * A tenant's share of the handlers of a worker. Used under the lock of its {@link Flows}.
   *
   * <p>Its tag is a time of start-time fair queueing (Goyal et al., SIGCOMM 1996). It is the run
   * time of its tasks in seconds, divided by its weight. The flow with the lowest tag is next.
   */
  static final class Flow {

    private final int tenant;
    private double weight;
    private Tier tier;
    private final Map<String, RunCost> costs = new HashMap<>();
    private @Nullable String latestKind;
    private @Nullable RunCost latestCost;
    private double tag;
    private boolean known;
    private int queuesWithTasks;
    private int runningPieces;

    private Flow(int tenant, double weight, Tier tier) {
      this.tenant = tenant;
      this.weight = weight;
      this.tier = tier;
    }

    /** Gives it another weight and tier. The tags of two tiers cannot be compared. */
    private void move(double newWeight, Tier newTier) {
      weight = newWeight;
      tag = newTier == tier ? tag : newTier.virtualTime;
      tier = newTier;
    }

    /** The level of its tier. */
    int level() {
      return tier.level;
    }

    int tenant() {
      return tenant;
    }

    double tag() {
      return tag;
    }

    /** What its tasks of a kind cost. Most tenants have the same kind over and over. */
    RunCost cost(String kind) {
      if (latestCost == null || !kind.equals(latestKind)) {
        latestKind = kind;
        latestCost = costs.computeIfAbsent(kind, unused -> new RunCost());
      }
      return latestCost;
    }

    /** Restarts the flow after a pause, which earns it nothing before that time. */
    void startAt(double virtualTime) {
      tag = Math.max(tag, virtualTime);
    }

    /** Charges seconds of run time; a negative number returns some that were charged before. */
    void charge(double seconds) {
      tag += seconds / weight;
    }

    boolean isActive() {
      return queuesWithTasks > 0 || runningPieces > 0;
    }
  }
}
