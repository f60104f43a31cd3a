package dev.rota.internal.worker;

import dev.rota.internal.worker.BatchProgress.Piece;
import dev.rota.internal.worker.BatchProgress.PieceQueue;
import dev.rota.internal.worker.FlowPrefetch.RunCost;
import dev.rota.internal.worker.Flows.Flow;
import dev.rota.internal.worker.HandlerExecutor.TimeSlice;
import dev.rota.internal.worker.WorkerConfig.KindSettings;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Claimed batches of one group of kinds whose tasks wait for a handler, and the number of its
 * running handlers. Tenants take turns in the order of the tags of their {@link Flow flows}; each
 * tenant's batches keep their order. Thread-safe.
 */
final class WorkQueue implements TenantQueue.Order {

  /**
   * The run time by which tags must differ to change the order: cheap tasks need not change places
   * for each.
   */
  private static final double QUANTUM = 0.001;

  private static final Comparator<Waiting> BY_TURN =
      Comparator.<Waiting>comparingInt(waiting -> -waiting.level)
          .thenComparingDouble(waiting -> waiting.turn)
          .thenComparingInt(waiting -> waiting.flow.tenant());

  /** Claiming threads ask for the parts all the time, and they change slowly. */
  private static final long PARTS_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final Flows flows;
  private final ReentrantLock lock;
  private final FlowPrefetch prefetch;
  private final int limit;
  private final boolean limited;
  private final Map<Integer, Waiting> tenants;
  private final TreeSet<Waiting> shortOnes = new TreeSet<>(BY_TURN);
  private final TreeSet<Waiting> longOnes = new TreeSet<>(BY_TURN);
  private final AtomicInteger running = new AtomicInteger();
  private final AtomicLong waiting = new AtomicLong();
  private final AtomicLong waitingBesides = new AtomicLong();
  private final AtomicLong finishedTasks = new AtomicLong();
  private @Nullable Waiting firstShort;
  private @Nullable Waiting endOfLevel;
  private int lowerTurns;
  private double parts;
  private long partsAt;
  private int tasksInLine;
  private int longInLine;

  /** For one group of a worker that has so many handlers. */
  WorkQueue(KindSettings.Group group, int concurrency, Flows flows) {
    this.flows = flows;
    this.tenants = flows.newMap();
    this.partsAt = flows.now() - PARTS_NANOS;
    this.lock = flows.lock();
    this.limit = group.limit();
    this.limited = group.isLimited();
    this.prefetch = new FlowPrefetch(flows, Math.min(limit, concurrency));
  }

  void add(BatchProgress run) {
    int size = run.batch().tasks().size();
    waits(run, size);
    lock.lock();
    try {
      Waiting own = of(run.batch().tenant().number());
      own.pieces.add(run);
      waits(own, size);
    } finally {
      lock.unlock();
    }
  }

  /** Adds one piece of a batch. */
  void admit(Piece piece) {
    waits(piece.run(), piece.size());
    lock.lock();
    try {
      Waiting own = of(piece.run().batch().tenant().number());
      own.pieces.admit(piece);
      waits(own, piece.size());
    } finally {
      lock.unlock();
    }
  }

  private void waits(Waiting own, int more) {
    if (own.inLine) {
      count(own, more);
    } else {
      flows.waits(own.flow);
      putInLine(own);
    }
  }

  private Waiting of(int tenant) {
    return tenants.computeIfAbsent(tenant, number -> new Waiting(flows.of(number)));
  }

  /** The number of tasks that are held and not begun. */
  long waiting() {
    return waiting.get();
  }

  /**
   * The number of those that were claimed while the worker held enough in total. Long ones may have
   * to wait for each other, and must not keep short ones from being claimed.
   */
  long waitingBesides() {
    lock.lock();
    try {
      return Math.min(waitingBesides.get(), tasksInLine - longInLine);
    } finally {
      lock.unlock();
    }
  }

  /** The upper bound of jobs that would find a piece here. */
  long runnable() {
    lock.lock();
    try {
      int ready = mayRunLong() ? tasksInLine : tasksInLine - longInLine;
      return limited ? Math.min(ready, limit - running.get()) : ready;
    } finally {
      lock.unlock();
    }
  }

  private boolean mayRunLong() {
    return !longOnes.isEmpty() && flows.mayRunLong(longOnes.first().flow.tenant());
  }

  long finishedTasks() {
    return finishedTasks.get();
  }

  /**
   * Returns pieces to run at once, and to {@link #leave leave} afterwards; null if there is none to
   * run.
   */
  @Nullable TimeSlice enter() {
    if (limited && !reserve()) {
      return null;
    }
    TimeSlice slice = nextAlone();
    if (slice == null) {
      release();
    }
    return slice;
  }

  /** Releases the room of pieces that have run. */
  void leave(TimeSlice slice) {
    release();
    long endedAt = flows.now();
    lock.lock();
    try {
      end(slice, endedAt);
    } finally {
      lock.unlock();
    }
  }

  /**
   * The pieces that the handler of others runs next; null if there is none. For a group without a
   * limit: one lock for both, since a task may cost less than a lock.
   */
  @Nullable TimeSlice leaveForNext(TimeSlice slice) {
    // Tasks take no time while their handler waits for the lock.
    long endedAt = flows.now();
    lock.lock();
    try {
      end(slice, endedAt);
      return next(flows.now());
    } finally {
      lock.unlock();
    }
  }

  /** Lets other handlers run the pieces that did not begin. */
  void putBack(TimeSlice slice) {
    lock.lock();
    try {
      List<Piece> pieces = slice.takeBack();
      if (!pieces.isEmpty()) {
        flows.putBack(slice.charge(), pieces.size());
        slice.owner().pieces.putBack(pieces);
        waits(slice.owner(), pieces.size());
      }
    } finally {
      lock.unlock();
    }
  }

  private @Nullable TimeSlice nextAlone() {
    lock.lock();
    try {
      return next(flows.now());
    } finally {
      lock.unlock();
    }
  }

  private void release() {
    if (limited) {
      running.decrementAndGet();
    }
  }

  private void end(TimeSlice slice, long now) {
    Flows.Charge charge = slice.charge();
    flows.end(charge, now);
    Waiting own = slice.owner();
    own.took(charge.seconds() / charge.tasks());
    if (own.inLine && !isInPlace(own)) {
      takeOutOfLine(own);
      putInLine(own);
    }
  }

  private @Nullable TimeSlice next(long now) {
    for (Waiting own = first(); own != null; own = first()) {
      if (isInPlace(own)) {
        return take(own, now);
      }
      takeOutOfLine(own);
      putInLine(own);
    }
    return null;
  }

  private @Nullable Waiting first() {
    Waiting top = firstOf(firstOfShort(), mayRunLong() ? longOnes.first() : null);
    return top != null && flows.isLowerOwed() ? firstOfLower(top) : top;
  }

  private static @Nullable Waiting firstOf(@Nullable Waiting ofShort, @Nullable Waiting ofLong) {
    if (ofShort == null || ofLong == null) {
      return ofShort == null ? ofLong : ofShort;
    }
    return BY_TURN.compare(ofLong, ofShort) < 0 ? ofLong : ofShort;
  }

  /** The first of a lower tier, which take turns; the given one of the top if there is none. */
  private Waiting firstOfLower(Waiting top) {
    List<Waiting> lower = new ArrayList<>();
    boolean withLong = mayRunLong();
    for (Waiting next = below(top, withLong); next != null; next = below(next, withLong)) {
      lower.add(next);
    }
    return lower.isEmpty() ? top : lower.get(Math.floorMod(lowerTurns++, lower.size()));
  }

  private @Nullable Waiting below(Waiting one, boolean withLong) {
    Waiting end = endOfLevel == null ? new Waiting(one.flow) : endOfLevel;
    endOfLevel = end;
    end.level = one.level;
    end.turn = Double.POSITIVE_INFINITY;
    return firstOf(shortOnes.higher(end), withLong ? longOnes.higher(end) : null);
  }

  /** Puts all that wait into their places anew: their tiers may have changed. */
  void reorder() {
    lock.lock();
    try {
      for (Waiting own : tenants.values()) {
        if (own.inLine) {
          takeOutOfLine(own);
          putInLine(own);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** The first of the short ones; kept, since each task asks for it. */
  private @Nullable Waiting firstOfShort() {
    if (firstShort == null && !shortOnes.isEmpty()) {
      firstShort = shortOnes.first();
    }
    return firstShort;
  }

  /**
   * Whether the tenant is at its place in line: by its tag, among the long ones if its next task is
   * long.
   */
  private static boolean isInPlace(Waiting own) {
    return own.level == own.flow.level()
        && Math.abs(own.flow.tag() - own.turn) <= QUANTUM
        && own.amongLong == own.flow.cost(own.pieces.next().kind()).isLong();
  }

  private TimeSlice take(Waiting own, long now) {
    List<Piece> pieces = own.pieces.pollTogether(own.together);
    Piece first = pieces.get(0);
    int tasks = Math.max(first.size(), pieces.size());
    Flows.Work work = new Flows.Work(first.kind(), tasks, pieces.size() > 1);
    Flows.Charge charge = flows.begin(own.flow, work, own.turn, now);
    removed(own, tasks);
    return new TimeSlice(this, own, pieces, charge);
  }

  private void removed(Waiting own, int tasks) {
    count(own, -tasks);
    if (own.pieces.count() == 0) {
      takeOutOfLine(own);
      own.pieces.clear();
      flows.waitsNoMore(own.flow);
    }
  }

  private void count(Waiting own, int more) {
    tasksInLine += more;
    longInLine += own.amongLong ? more : 0;
  }

  private void putInLine(Waiting own) {
    RunCost cost = own.flow.cost(own.pieces.next().kind());
    own.cost = cost;
    own.amongLong = cost.isLong();
    own.level = own.flow.level();
    own.turn = own.flow.tag();
    own.inLine = (own.amongLong ? longOnes : shortOnes).add(own);
    firstShort = null;
    count(own, own.pieces.count());
    if (cost.isSeen() && !own.amongLong) {
      flows.sawShort(own.flow, flows.now());
    }
  }

  private void takeOutOfLine(Waiting own) {
    boolean unused = (own.amongLong ? longOnes : shortOnes).remove(own);
    own.inLine = false;
    firstShort = null;
    count(own, -own.pieces.count());
  }

  /** Returns any piece, which is not run; null if there is none. */
  @Nullable Piece drain() {
    lock.lock();
    try {
      TreeSet<Waiting> line = shortOnes.isEmpty() ? longOnes : shortOnes;
      if (line.isEmpty()) {
        return null;
      }
      Waiting own = line.first();
      Piece piece = own.pieces.poll();
      removed(own, piece.size());
      return piece;
    } finally {
      lock.unlock();
    }
  }

  /** Takes out pieces of tenants that are to be handed back. */
  List<Piece> takeOut(IntPredicate tenantsWithSome, Predicate<Piece> which) {
    lock.lock();
    try {
      List<Piece> taken = new ArrayList<>();
      for (Waiting own : tenants.values()) {
        if (own.inLine && tenantsWithSome.test(own.flow.tenant())) {
          List<Piece> found = own.pieces.takeOut(which);
          removed(own, found.stream().mapToInt(Piece::size).sum());
          taken.addAll(found);
        }
      }
      return taken;
    } finally {
      lock.unlock();
    }
  }

  /** Records that a piece no longer waits. */
  void begun(Piece piece) {
    waits(piece.run(), -piece.size());
  }

  private void waits(BatchProgress run, int tasks) {
    waiting.addAndGet(tasks);
    if (run.isBeside()) {
      waitingBesides.addAndGet(tasks);
    }
  }

  void finished(int tasks) {
    finishedTasks.addAndGet(tasks);
  }

  /** Whether the end of a piece makes room that no other part notices. */
  boolean isLimited() {
    return limited;
  }

  /** Whether the tenant's part is held; see {@link FlowPrefetch}. */
  @Override
  public boolean isSated(int tenant) {
    return look(() -> prefetch.isSated(tenant, tenants.get(tenant)));
  }

  /**
   * Whether so much of a tenant is held that no more is wanted beside the others.
   *
   * @param target how many tasks to hold in total
   */
  boolean isHalfSated(int tenant, double target) {
    return look(() -> prefetch.isHalfSated(tenant, tenants.get(tenant), target));
  }

  /** Whether tenants have different weights or tiers. */
  boolean areUneven() {
    return flows.areUneven();
  }

  /** How many tasks to hold so that each tenant has its part; none if they need not differ. */
  double parts() {
    return look(
        () -> {
          long now = flows.now();
          if (now - partsAt >= PARTS_NANOS) {
            parts = prefetch.parts(tenants.values());
            partsAt = now;
          }
          return parts;
        });
  }

  /**
   * How many tasks of a tenant to claim.
   *
   * @param even how many that are where all tenants have the same weight
   * @param most how many at most
   */
  int wanted(int tenant, int even, int most) {
    return look(
        () -> {
          int part = prefetch.wanted(tenants.get(tenant), even, most);
          return Math.max(1, Math.min(part, flows.room(tenant)));
        });
  }

  @Override
  public int missing(int tenant) {
    return look(() -> prefetch.missing(tenants.get(tenant)));
  }

  @Override
  public double tag(int tenant) {
    return flows.tag(tenant);
  }

  @Override
  public <T> T look(Supplier<T> look) {
    return flows.look(look);
  }

  private boolean reserve() {
    for (int now = running.get(); now < limit; now = running.get()) {
      if (running.compareAndSet(now, now + 1)) {
        return true;
      }
    }
    return false;
  }

  /**
   * The tasks of one tenant that wait for a handler, in the order of their batches, and its place
   * in line. Used under the lock.
   */
  static final class Waiting implements FlowPrefetch.Held {
    private final Flow flow;
    private final PieceQueue pieces = new PieceQueue();
    private final ToIntFunction<String> together;
    private int level;
    private double turn;
    private boolean inLine;
    private boolean amongLong;
    private @Nullable RunCost cost;
    private double meanSeconds = 0.010;
    private boolean tried;

    Waiting(Flow flow) {
      this.flow = flow;
      this.together = kind -> flow.cost(kind).together();
    }

    @Override
    public Flow flow() {
      return flow;
    }

    @Override
    public int count() {
      return pieces.count();
    }

    @Override
    public double meanSeconds() {
      return meanSeconds;
    }

    @Override
    public boolean isTried() {
      return tried;
    }

    /** Whether the last of its tasks that were checked is expected to be long. */
    @Override
    public boolean isLong() {
      return cost != null && cost.isLong();
    }

    void took(double eachSeconds) {
      tried = true;
      meanSeconds += 0.1 * (eachSeconds - meanSeconds);
    }
  }
}
