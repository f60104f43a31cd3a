package dev.rota.limits.internal;

import dev.rota.internal.claim.TaskRules.Attempts;
import dev.rota.internal.claim.TaskRules.Guard;
import dev.rota.internal.db.Database;
import dev.rota.internal.log.Logs;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.settle.ClaimedTask.Outcome;
import dev.rota.limits.Limits;
import dev.rota.limits.Rule.Pause.Origin;
import dev.rota.limits.Scope;
import dev.rota.limits.internal.BreakerState.Change;
import dev.rota.limits.internal.RuleRow.TimedPause;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The breakers of this process, and the writer of what they and handlers order. It works only while
 * something is to be written or waited for. Thread-safe.
 */
final class Breakers {

  private static final Logger log = Logs.of(Breakers.class);

  private static final long SOON_MILLIS = 1;
  private static final long AGAIN_MILLIS = 50;

  private final Database database;
  private final BreakerStore store;
  private final ScheduledExecutorService timer;
  private final LongSupplier nanoTime;
  private final Map<ScopeLimits.Key, BreakerState> states = new ConcurrentHashMap<>();
  private final Map<ScopeLimits.Key, Hold> holds = new ConcurrentHashMap<>();
  private final ReentrantLock working = new ReentrantLock();
  private final AtomicBoolean comesSoon = new AtomicBoolean();
  private final AtomicBoolean comesAgain = new AtomicBoolean();
  private @Nullable Follower follower;

  /** Those of all states, the later ones too: workers may still ask by former rules. */
  private BreakerRules present = new BreakerRules(List.of(), tenant -> "", 0);

  private boolean troubled;

  /**
   * Creates the breakers of one Rota.
   *
   * @param timer writes
   */
  Breakers(
      Database database,
      RegistryTables tables,
      ScheduledExecutorService timer,
      LongSupplier nanoTime) {
    this.database = database;
    this.store = new BreakerStore(tables);
    this.timer = timer;
    this.nanoTime = nanoTime;
  }

  /** What a handler wants to hold, until a time of this process. */
  private record Hold(Scope scope, long until, String reason) {

    /** A rule as if it was read now. Its times are those of no clock, and not asked for. */
    RuleRow row(int tenant, long now) {
      return new RuleRow(
          tenant == 0 ? OptionalInt.empty() : OptionalInt.of(tenant),
          scope,
          Limits.none(),
          Optional.of(new TimedPause(OptionalLong.of(until - now), reason, Instant.EPOCH, null)),
          new RuleRow.Order(Origin.HANDLER, Instant.EPOCH));
    }
  }

  /** Follows what was written. */
  interface Follower {

    /** Lets this process read the rules. */
    void changed();

    /** Lets tenants be visited again, of which kinds were left out. */
    void visit(Set<Integer> tenants);
  }

  /** Tells who follows what is written. */
  void followedBy(Follower own) {
    follower = own;
  }

  /** Follows other rules. */
  synchronized void apply(BreakerRules rules) {
    present = rules;
    states.forEach((key, state) -> state.follow(rules.of(key), rules.trip(key)));
    boolean unused = states.values().removeIf(BreakerState::isOver);
  }

  /** What lets tasks begin that count towards all of these. */
  Guard guard(List<ScopeLimits.Key> keys) {
    List<BreakerState> own = keys.stream().map(this::state).toList();
    return own.size() == 1 ? own.get(0)::begin : tasks -> begin(own, tasks);
  }

  private synchronized BreakerState state(ScopeLimits.Key key) {
    return states.computeIfAbsent(
        key,
        unused -> {
          BreakerState state = new BreakerState(this::soon, nanoTime);
          state.follow(present.of(key), present.trip(key));
          return state;
        });
  }

  private static @Nullable Attempts begin(List<BreakerState> states, int tasks) {
    List<Attempts> begun = new ArrayList<>();
    for (BreakerState state : states) {
      Attempts attempts = state.begin(tasks);
      if (attempts == null) {
        begun.forEach(other -> other.ended(List.of()));
        return null;
      }
      begun.add(attempts);
    }
    return outcomes -> ended(begun, outcomes);
  }

  private static void ended(List<Attempts> begun, List<Outcome> outcomes) {
    begun.forEach(attempts -> attempts.ended(outcomes));
  }

  /** Those of some kinds of which no more tasks of a tenant are to be claimed. */
  Set<String> full(int tenant, Collection<String> kinds, BreakerRules rules) {
    Set<String> full = new HashSet<>();
    for (String kind : rules.kindsOf(tenant)) {
      for (ScopeLimits.Key key :
          kinds.contains(kind) ? rules.keysOf(tenant, kind) : List.<ScopeLimits.Key>of()) {
        BreakerState state = states.get(key);
        if (state != null && state.leavesOut(tenant)) {
          full.add(kind);
        }
      }
    }
    return full;
  }

  /** Holds a kind of a tenant; of all for number 0. */
  void hold(int tenant, Scope scope, Duration length, String reason) {
    ScopeLimits.Key key = new ScopeLimits.Key(tenant, scope.kind().orElseThrow());
    Hold hold = new Hold(scope, nanoTime.getAsLong() + length.toNanos(), reason);
    holds.merge(key, hold, (old, own) -> own.until - old.until > 0 ? own : old);
    soon();
  }

  /**
   * The holds that are not written yet, as rules that were read at a time.
   *
   * @param readAt a time by the clock of this process
   */
  List<RuleRow> holds(long readAt) {
    List<RuleRow> rows = new ArrayList<>();
    holds.forEach((key, hold) -> rows.add(hold.row(key.tenant(), readAt)));
    return rows;
  }

  private void soon() {
    come(comesSoon, SOON_MILLIS);
  }

  private void come(AtomicBoolean mark, long millis) {
    if (mark.compareAndSet(false, true)) {
      var unused = timer.schedule(() -> work(mark), millis, TimeUnit.MILLISECONDS);
    }
  }

  private void work(AtomicBoolean mark) {
    mark.set(false);
    // Heartbeats use the timer too: none of its threads may wait for another that waits for a lock.
    if (!working.tryLock()) {
      soon();
      return;
    }
    try {
      work();
    } finally {
      working.unlock();
    }
  }

  /** Writes, and lets tenants be visited again. Used under its lock. */
  private void work() {
    try {
      write();
      troubled = false;
    } catch (RuntimeException | Error e) {
      // Any error: after it the timer would write no more.
      if (!troubled) {
        log.warn("Rota cannot write holds and breakers, and keeps trying: {}", e.toString());
      }
      troubled = true;
    }
    Set<Integer> tenants = new HashSet<>();
    states.values().forEach(state -> tenants.addAll(state.takeLeftOut()));
    if (!tenants.isEmpty() && follower != null) {
      follower.visit(tenants);
    }
    if (!holds.isEmpty() || states.values().stream().anyMatch(BreakerState::isPending)) {
      come(comesAgain, AGAIN_MILLIS);
    }
  }

  private void write() {
    Map<ScopeLimits.Key, Hold> held = Map.copyOf(holds);
    Map<BreakerState, Change> changes = new HashMap<>();
    held.forEach((key, hold) -> hold(key, hold));
    states.forEach(
        (key, state) -> {
          Change change = state.change();
          if (change != null) {
            database.run("write a breaker", session -> store.write(session, key, change));
            changes.put(state, change);
          }
        });
    if (!held.isEmpty() || !changes.isEmpty()) {
      if (follower != null) {
        follower.changed();
      }
      held.forEach(holds::remove);
      changes.forEach(BreakerState::written);
    }
  }

  private void hold(ScopeLimits.Key key, Hold hold) {
    Duration left = Duration.ofNanos(hold.until - nanoTime.getAsLong());
    if (left.toMillis() > 0) {
      database.run("hold a kind", session -> store.hold(session, key, left, hold.reason));
    }
  }
}
