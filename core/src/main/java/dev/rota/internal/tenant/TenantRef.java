package dev.rota.internal.tenant;

import dev.rota.NewTask;
import dev.rota.RotaClosedException;
import dev.rota.TenantClosedException;
import dev.rota.internal.db.Session;
import dev.rota.internal.payload.StoredText;
import dev.rota.internal.sql.Sql;
import dev.rota.internal.sql.TenantTables;
import dev.rota.internal.text.SafeText;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jooq.Field;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;

/**
 * One tenant in memory: its state, refreshed by the registry, and the texts of statements on its
 * tables. Thread-safe.
 */
public final class TenantRef {

  private static final Comparator<TenantRef> ORDER =
      Comparator.comparingInt(TenantRef::number).thenComparing(TenantRef::registeredAt);

  private final TenantRegistry registry;
  private final TenantTables tables;
  private final Instant registeredAt;
  private final Sql.Cache statements;
  private final RegistryState shared;
  private volatile State state;
  private volatile String label;
  private volatile int readIn;
  private volatile long readAt = System.nanoTime();

  /** For how long a state proves that the daemon does not drop the tables at once. */
  static final Duration FRESH = Duration.ofSeconds(30);

  /**
   * A tenant's row of the registry, as last read. A stale one costs order or a repeated
   * transaction, never a task.
   *
   * @param number the number in the names of its tables
   * @param name the name for people
   * @param closed whether it refuses new tasks
   * @param lanes its rings, and the slots into which producers write
   * @param relations its tables
   */
  public record State(
      int number, String name, boolean closed, PriorityLanes lanes, Relations relations) {

    /** The segment into which claims write. */
    public int currentSegment() {
      return relations.currentSegment;
    }

    /** Whether the tenant has no tables. */
    public boolean isParked() {
      return relations.parked;
    }

    /** The same after a ring was switched to a slot. */
    public State pointingAt(int slot) {
      return with(lanes.pointingAt(slot));
    }

    /** Returns a copy with another segment. */
    public State writingTo(int segment) {
      Relations next =
          new Relations(
              segment, relations.parked, relations.leaving, relations.edition, relations.bounds);
      return new State(number, name, closed, lanes, next);
    }

    /** Returns a copy with slots that take payloads of any size. */
    public State widened() {
      return with(lanes.widened());
    }

    /** Returns a copy with lanes that were known before: no lane is ever removed. */
    State knowing(PriorityLanes known) {
      return with(lanes.and(known));
    }

    private State with(PriorityLanes changed) {
      return changed == lanes ? this : new State(number, name, closed, changed, relations);
    }
  }

  /**
   * The tables of a tenant, as the registry has them.
   *
   * @param currentSegment the segment into which claims write, or the next one of a parked tenant
   * @param parked whether there are no tables
   * @param leaving whether the daemon announced that it will drop them
   * @param edition a number that changes when other tables are made
   * @param bounds what may be in them
   */
  public record Relations(
      int currentSegment, boolean parked, boolean leaving, int edition, Bounds bounds) {}

  /**
   * What new tasks a tenant may get.
   *
   * @param pending whether it may have a number of pending tasks only
   * @param payload whether it may get a number of bytes in a time only
   */
  public record Bounds(boolean pending, boolean payload) {}

  /** Stores tasks. */
  @FunctionalInterface
  public interface Storing<T, X extends Exception> {
    T store() throws X;
  }

  TenantRef(TenantRegistry registry, Instant registeredAt, State state, int readIn) {
    this.registry = registry;
    this.shared = registry.shared();
    this.tables = registry.tables().tenant(state.number());
    this.registeredAt = registeredAt;
    this.state = state;
    this.label = labelOf(state);
    this.readIn = readIn;
    this.statements = new Sql.Cache(tables, () -> this.state.lanes().count());
  }

  public State state() {
    return state;
  }

  /** Makes a change visible in this process at once that the caller has committed. */
  public void learn(State newState) {
    update(newState, readIn);
  }

  /**
   * Updates the state. It may have been read before a lane became visible that is known here. What
   * is known of another history of the server is discarded.
   *
   * @param newReadIn the number of the history in which it was read
   */
  synchronized void update(State newState, int newReadIn) {
    String oldName = state.name();
    if (newReadIn == readIn) {
      state = newState.knowing(state.lanes());
    } else if (newReadIn > readIn) {
      state = newState;
      readIn = newReadIn;
    }
    if (!oldName.equals(state.name())) {
      label = labelOf(state);
    }
  }

  private static String labelOf(State state) {
    return "tenant '" + SafeText.whole(state.name()) + "' (" + state.number() + ")";
  }

  /** Records when the last read of the state began. */
  void readAt(long nanos) {
    readAt = nanos;
  }

  /** Whether the state was read a moment ago, in the present history of the server. */
  boolean isFresh() {
    return isPresent() && System.nanoTime() - readAt < FRESH.toNanos();
  }

  /** Whether the tenant has tables that last for a minute at least. */
  public boolean isReady() {
    Relations relations = state.relations;
    return isFresh() && !relations.parked && !relations.leaving;
  }

  /** The number of the history in which the state was read, as the registry counts them. */
  int readIn() {
    return readIn;
  }

  /** Whether the state was read in the present history of the server. */
  boolean isPresent() {
    return readIn == shared.history();
  }

  /**
   * Prepares a use by a caller. It lets the registry notice that it may be stale, and confirms the
   * tenant if the server is in another history.
   *
   * @throws dev.rota.RotaClosedException if no caller may use a tenant any more
   */
  public void use() {
    shared.ensureOpen();
    if (shared.isStale()) {
      registry.refreshInBackground();
    }
    if (!isPresent()) {
      registry.confirm(this);
    }
  }

  /**
   * Refuses new tasks of a closed tenant.
   *
   * @throws TenantClosedException if it is closed
   */
  public void refuseClosed() {
    if (state.closed()) {
      throw new TenantClosedException(
          label + " is closed and refuses new tasks; reopen it with Tenants.reopen(name)");
    }
  }

  /**
   * The time of the registration. Another history of the server may have given the number to
   * another tenant.
   */
  Instant registeredAt() {
    return registeredAt;
  }

  /**
   * Makes sure, in this transaction, that the tenant exists in the present history of the server.
   * Costs nothing unless the server was restored, replaced or started anew since the last time.
   *
   * @throws dev.rota.UnknownTenantException if it does not; its number may be that of another one
   */
  public void confirm(Session session) throws SQLException {
    if (!isPresent()) {
      registry.confirm(session, this);
    }
  }

  /** Whether it may have a number of pending tasks only. */
  public boolean isBounded() {
    return state.relations.bounds.pending;
  }

  /**
   * Confirms the tenant, and refuses tasks for which it has no room. Costs nothing more unless it
   * is bounded.
   */
  public void admit(Session session, long tasks) throws SQLException {
    confirm(session);
    if (isBounded()) {
      TenantAllowances.Room room = rooms(session, List.of(this)).get(number());
      if (room != null && room.left() < tasks) {
        throw room.refusal(tasks);
      }
    }
  }

  /** Whether payloads count towards an allowance. */
  public boolean isCharged() {
    return state.relations.bounds.payload;
  }

  /**
   * Takes payloads from the allowance of the tenant, in a transaction of its own.
   *
   * @throws dev.rota.RotaException if they are too large, or that cannot be told
   */
  public TenantAllowances.Charge charge(List<NewTask> tasks) {
    return registry.charge(this, tasks);
  }

  /**
   * Stores tasks whose payloads count towards the allowance of the tenant. Costs nothing more
   * unless it has one.
   */
  public <T, X extends Exception> T charged(List<NewTask> tasks, Storing<T, X> storing) throws X {
    if (!isCharged()) {
      return storing.store();
    }
    TenantAllowances.Charge charge = charge(tasks);
    try {
      return storing.store();
    } catch (Throwable e) {
      charge.failed(e);
      throw e;
    }
  }

  /** The rooms of bounded tenants of one registry, by their numbers; none for one without limit. */
  public static Map<Integer, TenantAllowances.Room> rooms(Session session, List<TenantRef> tenants)
      throws SQLException {
    List<TenantRef> bounded = tenants.stream().filter(TenantRef::isBounded).toList();
    return bounded.isEmpty() ? Map.of() : bounded.get(0).registry.rooms(session, bounded);
  }

  /**
   * Reads the state in this transaction; returns whether the tenant has tables. Another process may
   * have just made them, or a lane.
   */
  public boolean hasTables(Session session) throws SQLException {
    return !registry.read(session, number()).state().isParked();
  }

  public TenantTables tables() {
    return tables;
  }

  public int number() {
    return state.number;
  }

  /** The name of the tenant in error messages. */
  public String label() {
    return label;
  }

  /** Orders tenants by number, as transactions lock them. */
  public static Comparator<TenantRef> order() {
    return ORDER;
  }

  /** The statements on its tables. */
  public Sql.Cache statements() {
    return statements;
  }

  /**
   * What a registry shares with its tenants: the age of the cached values, the history of the
   * server, and whether callers may use tenants. Thread-safe.
   */
  static final class RegistryState {
    private final long refreshNanos;
    private final AtomicLong refreshedAt = new AtomicLong(System.nanoTime());
    private final AtomicInteger histories = new AtomicInteger();
    private volatile boolean closed;

    /** Creates the state of a registry that renews its values when they are older than this. */
    RegistryState(Duration refreshInterval) {
      this.refreshNanos = refreshInterval.toNanos();
    }

    /** Records that the values are renewed now. */
    void refreshed() {
      refreshedAt.set(System.nanoTime());
    }

    /** Whether the values are due to be renewed; true for one caller, which renews them. */
    boolean isStale() {
      long last = refreshedAt.get();
      return System.nanoTime() - last > refreshNanos
          && refreshedAt.compareAndSet(last, System.nanoTime());
    }

    /** The number of the present history of the server, counted from 0 in this process. */
    int history() {
      return histories.get();
    }

    /** Records that the server may be in another history. */
    void beginHistory() {
      histories.incrementAndGet();
    }

    /** Refuses further uses by callers. */
    void close() {
      closed = true;
    }

    /** Throws unless callers may use tenants. */
    void ensureOpen() {
      if (closed) {
        throw new RotaClosedException("this Rota was closed; build another one");
      }
    }
  }

  /**
   * The rings of one tenant: lane 0, of priority 0, and one more for each further priority that was
   * ever used. Lanes are added and never removed, so that known lanes stay valid. Immutable.
   */
  public static final class PriorityLanes {

    /** Lane 0 and nine more: the slots of ten rings fit the bits of an int. */
    public static final int MOST = 10;

    /**
     * The most bytes of a payload in a slot that is not wide. Such a slot has no TOAST table, so
     * that a row must fit a page, 8,160 bytes, also with the longest kind and key.
     */
    public static final int LARGEST_FITTING = 7_000;

    private final List<Lane> byNumber;
    private final List<Lane> byPriority;
    private final boolean wide;

    /**
     * One ring.
     *
     * @param number 0 for the default lane; the others are counted from 1 in the order in which
     *     they were created
     * @param priority higher ones are served first
     * @param currentSlot the slot into which producers write, counted over all lanes of the tenant
     */
    public record Lane(int number, int priority, int currentSlot) {}

    private PriorityLanes(List<Lane> byNumber, boolean wide) {
      this.wide = wide;
      this.byNumber = List.copyOf(byNumber);
      this.byPriority =
          byNumber.size() == 1
              ? this.byNumber
              : byNumber.stream()
                  .sorted(Comparator.comparingInt(Lane::priority).reversed())
                  .toList();
    }

    /**
     * As the registry has them: the priorities and current slots by the numbers of the lanes, and
     * whether the slots are wide.
     */
    static PriorityLanes of(Short[] priorities, Short[] slots, boolean wide) {
      List<Lane> lanes = new ArrayList<>();
      for (int number = 0; number < priorities.length; number++) {
        lanes.add(new Lane(number, priorities[number], slots[number]));
      }
      return new PriorityLanes(lanes, wide);
    }

    /**
     * Whether the slots take payloads of any size. Those of a new tenant do not; they become wide
     * with its first large payload, and stay so.
     */
    public boolean areWide() {
      return wide;
    }

    /** Whether the slots take a task of this size. */
    public boolean fit(NewTask task) {
      return fit(task.headers().isEmpty() ? task.payload() : StoredText.of(task));
    }

    /** Whether the slots take a payload of this size. */
    public boolean fit(String payload) {
      return wide
          || payload.length() <= LARGEST_FITTING / 3
          || SafeText.utf8Length(payload) <= LARGEST_FITTING;
    }

    /** The lane to which a slot belongs. */
    public static int of(int slot) {
      return slot / TenantTables.SLOTS;
    }

    /** The slot after this one in the ring of its lane. */
    public static int after(int slot) {
      int lane = of(slot);
      return of(slot + 1) == lane ? slot + 1 : lane * TenantTables.SLOTS;
    }

    /** The value of the column {@code lane}, which is null for lane 0. */
    public static Field<Short> valueOf(int lane) {
      return lane == 0
          ? DSL.castNull(SQLDataType.SMALLINT)
          : DSL.inline(Short.valueOf((short) lane));
    }

    /** The number of lanes, lane 0 included. */
    public int count() {
      return byNumber.size();
    }

    /** The number of slots of all lanes. */
    public int slots() {
      return count() * TenantTables.SLOTS;
    }

    /** All lanes by number. */
    public List<Lane> all() {
      return byNumber;
    }

    /** All lanes, the highest priority first. */
    public List<Lane> inOrder() {
      return byPriority;
    }

    /**
     * The lane of a number. A number that another history of the server gave means lane 0, which
     * costs order only.
     */
    public Lane get(int number) {
      return byNumber.get(number < count() ? number : 0);
    }

    /** The lane of a priority. */
    public Optional<Lane> find(int priority) {
      return byNumber.stream().filter(lane -> lane.priority() == priority).findFirst();
    }

    /** The current slots of all lanes, as bits. */
    public int currentSlots() {
      return byNumber.stream().mapToInt(lane -> 1 << lane.currentSlot()).reduce(0, (a, b) -> a | b);
    }

    /** The priorities of all lanes, by the numbers of the lanes. */
    public List<Integer> priorities() {
      return byNumber.stream().map(Lane::priority).toList();
    }

    /**
     * All slots, in each ring the current one last: tasks that are moved within a ring go there.
     */
    public List<Integer> slotsInDirectionOfMoves() {
      List<Integer> slots = new ArrayList<>();
      for (Lane lane : byNumber) {
        int next = after(lane.currentSlot());
        slots.addAll(List.of(next, after(next), lane.currentSlot()));
      }
      return slots;
    }

    /** Returns a copy with one more lane. */
    PriorityLanes adding(int priority) {
      List<Lane> lanes = new ArrayList<>(byNumber);
      lanes.add(new Lane(count(), priority, slots()));
      return new PriorityLanes(lanes, wide);
    }

    /** Returns a copy after a rotation. */
    public PriorityLanes pointingAt(int slot) {
      List<Lane> lanes = new ArrayList<>(byNumber);
      Lane old = get(of(slot));
      lanes.set(old.number(), new Lane(old.number(), old.priority(), slot));
      return new PriorityLanes(lanes, wide);
    }

    /** Returns a copy with wide slots. */
    PriorityLanes widened() {
      return wide ? this : new PriorityLanes(byNumber, true);
    }

    /** Returns a copy with what only the other object knows, which may be newer. */
    PriorityLanes and(PriorityLanes other) {
      if (other.count() <= count()) {
        return other.wide ? widened() : this;
      }
      List<Lane> lanes = new ArrayList<>(byNumber);
      lanes.addAll(other.byNumber.subList(count(), other.count()));
      return new PriorityLanes(lanes, wide || other.wide);
    }
  }
}
