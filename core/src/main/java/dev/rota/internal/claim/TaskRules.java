package dev.rota.internal.claim;

import dev.rota.RetryAfterException;
import dev.rota.internal.db.Session;
import dev.rota.internal.settle.ClaimedTask;
import dev.rota.internal.settle.ClaimedTask.Outcome;
import dev.rota.internal.settle.ProcessLease;
import dev.rota.internal.sql.TenantTables;
import dev.rota.internal.tenant.TenantRef.PriorityLanes;
import dev.rota.internal.tenant.TenantRef.PriorityLanes.Lane;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * What may begin, and with which share of the handlers, at one moment. A feature computes it for
 * the kernel, which asks for single tenants. Immutable.
 */
public interface TaskRules {

  /** The weight of a tenant without a rule. */
  double STANDARD_WEIGHT = 1;

  /** The tier of a tenant without a rule. */
  int STANDARD_TIER = 0;

  /** The pool of a tenant without a rule, and of a worker without pools. */
  String STANDARD_POOL = ProcessLease.STANDARD_POOL;

  /** No rules: everything may begin, and all tenants have the same share. */
  TaskRules NONE = paused(Pauses.NONE);

  /** The rules of a process that has not read them yet: nothing may begin. */
  TaskRules UNKNOWN = paused(Pauses.ALL);

  /** The rules of a worker that serves no tenant. */
  TaskRules NOWHERE = NONE.only(tenant -> false);

  /** What may not begin of a tenant, given its number. */
  Pauses pauses(int tenant);

  /** The weight of a tenant, given its number. */
  default double weight(int tenant) {
    return STANDARD_WEIGHT;
  }

  /** The tier of a tenant, given its number: those of a higher one are served first. */
  default int tier(int tenant) {
    return STANDARD_TIER;
  }

  /** Whether tenants have different weights or tiers. */
  default boolean areUneven() {
    return false;
  }

  /** Whether rules bound what may run at a time, or begin in a time. */
  default boolean areBounded() {
    return false;
  }

  /** What tasks of a kind of a tenant need to begin; null if no rule bounds them. */
  default @Nullable Bound bound(int tenant, String kind) {
    return null;
  }

  /**
   * How many more tasks of a tenant to claim; the most there is without a bound. Asking for a
   * tenant that has work makes the source provide room for it.
   */
  default int room(int tenant) {
    return Integer.MAX_VALUE;
  }

  /**
   * The kinds of which no more tasks of a tenant are to be claimed now. The source tells its
   * listeners when to look again.
   *
   * @param kinds those that are claimed
   * @param atOnce whether tasks begin as they are claimed; else they may wait in the process
   */
  default Set<String> full(int tenant, Collection<String> kinds, boolean atOnce) {
    return Set.of();
  }

  /** Whether the worker of these rules may visit a tenant, given its number. */
  default boolean serves(int tenant) {
    return true;
  }

  /** The pool of a tenant, given its number. */
  default String pool(int tenant) {
    return STANDARD_POOL;
  }

  /** The same rules for a worker of some pools: nothing of tenants in others may begin. */
  default TaskRules of(Set<String> pools) {
    return pools.contains(STANDARD_POOL) ? this : NOWHERE;
  }

  /** The same rules for a worker of some tenants: nothing of others may begin. */
  default TaskRules only(IntPredicate served) {
    return new NarrowedRules(this, served);
  }

  /**
   * What lets tasks of a kind of a tenant begin by how earlier ones ended; null if nothing does.
   */
  default @Nullable Guard guard(int tenant, String kind) {
    return null;
  }

  private static TaskRules paused(Pauses pauses) {
    return tenant -> pauses;
  }

  /** The rules of this process, as last read. Thread-safe. */
  interface Source {

    /**
     * How old the knowledge of a process may be when it claims: it asks for the version if no look
     * has seen it lately.
     */
    long RECENT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** Holds the present rules. Those who ask often keep it, and compare with {@link #NONE}. */
    AtomicReference<TaskRules> present();

    /** The version that they were read at; it differs from that of the database if they changed. */
    long version();

    /** Reads the rules if this version differs from the one they were read at, in a transaction. */
    void follow(Session session, long version) throws SQLException;

    /**
     * As {@link #follow(Session, long)}, in a transaction of its own, and not soon after reading
     * took long. A failure is logged, and the next look tries again.
     */
    void follow(long version);

    /**
     * Adds a listener, which is called with the present rules now, and with others after each
     * change. It must not block.
     */
    void listen(Listener listener);

    /** Removes a listener. */
    void unlisten(Listener listener);

    /** Lets the rules be read again: the server is in another history. */
    void forget();

    /** Lets no task begin that a handler wants to hold; it must not block. */
    default void hold(ClaimedTask task, RetryAfterException wish) {}

    /** Gives it the lease of this process, under which it may hold room for tasks. */
    default void leaseBy(ProcessLease lease) {}

    /** The part of the tenants of some pools that a worker of this process visits. */
    Shard shard(Set<String> pools, int workers);
  }

  /** The tenants that one worker visits, as last read. Thread-safe. */
  interface Shard {

    /**
     * Reads which workers live, and which other tenants need help.
     *
     * @param all the rules of this process
     * @return whether the worker may visit others than before
     */
    boolean refresh(TaskRules all);

    /** Which tenants the worker visits, of those in its pools by these rules. Immutable. */
    IntPredicate under(TaskRules all);
  }

  /** Follows the rules. */
  @FunctionalInterface
  interface Listener {

    /** Follows other rules; it must not block. */
    void apply(TaskRules rules);

    /**
     * Begins tasks for which there is room by now.
     *
     * @param tenants those to visit again, since earlier visits left out kinds
     */
    default void roomCame(Set<Integer> tenants) {}

    /** Begins tasks for which there is room by now. */
    default void mayBegin() {}
  }

  /**
   * What some tasks need to begin, such as a slot of each cap and a start at each rate.
   * Thread-safe.
   */
  interface Bound {

    /**
     * What a task lacks to begin now; null if it could begin. Tasks that lack the same wait
     * together, until a task {@linkplain #gives gives} it back, or a listener is called.
     */
    @Nullable Object lacks();

    /** What a task may leave for others at its end. */
    default Collection<?> gives() {
      return List.of();
    }

    /** Takes what a task needs; false if it may not begin now. */
    boolean tryBegin();

    /**
     * Gives back what a task held while it ran.
     *
     * @param nanos how long it ran; 0 if it did not
     */
    void end(long nanos);

    /**
     * Whether a task may begin with what it took, after it has waited for a handler. If not, the
     * caller undoes it.
     *
     * @param takenAt when it took it, by {@link System#nanoTime}
     */
    default boolean mayStillBegin(long takenAt) {
      return true;
    }

    /**
     * Gives back what a task took that does not begin.
     *
     * @param takenAt when it took it, by {@link System#nanoTime}
     */
    default void undo(long takenAt) {
      end(0);
    }

    /** Records that more tasks wait in this process to begin, or fewer. */
    void waiting(int more);
  }

  /** Lets tasks begin, or not, by how earlier ones ended. Thread-safe. */
  @FunctionalInterface
  interface Guard {

    /** Begins some tasks; null if they may not begin now. */
    @Nullable Attempts begin(int tasks);
  }

  /** Tasks that a guard has let begin. Thread-safe. */
  @FunctionalInterface
  interface Attempts {

    /** Takes how they ended, once. */
    void ended(List<Outcome> outcomes);
  }

  /**
   * What may not begin of one tenant.
   *
   * @param all whether nothing of it may
   * @param kinds kinds whose tasks may not
   * @param priorities priorities whose tasks may not
   */
  record Pauses(boolean all, Set<String> kinds, Set<Integer> priorities) {

    /** Everything may begin. */
    public static final Pauses NONE = new Pauses(false, Set.of(), Set.of());

    /** Nothing may begin. */
    public static final Pauses ALL = new Pauses(true, Set.of(), Set.of());

    /** Copies the sets. */
    public Pauses {
      kinds = Set.copyOf(kinds);
      priorities = Set.copyOf(priorities);
    }

    /** Whether everything may begin. */
    public boolean isNone() {
      return !all && kinds.isEmpty() && priorities.isEmpty();
    }

    /** Whether a task may not begin. */
    public boolean hold(ClaimedTask task) {
      return all || kinds.contains(task.kind()) || priorities.contains(task.priority());
    }

    /**
     * Whether nothing of these kinds may begin.
     *
     * @param some the kinds; null for all that there are
     */
    public boolean holdAll(@Nullable Collection<String> some) {
      return all || (some != null && !some.isEmpty() && kinds.containsAll(some));
    }

    /** Those of some slots, as bits, whose tasks may begin. */
    int slotsOf(PriorityLanes lanes, int slots) {
      if (all) {
        return 0;
      }
      int left = slots;
      if (!priorities.isEmpty()) {
        for (Lane lane : lanes.all()) {
          if (priorities.contains(lane.priority())) {
            left &= ~(((1 << TenantTables.SLOTS) - 1) << (lane.number() * TenantTables.SLOTS));
          }
        }
      }
      return left;
    }
  }
}
