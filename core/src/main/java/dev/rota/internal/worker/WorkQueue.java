package dev.rota.internal.worker;

import dev.rota.internal.worker.BatchProgress.Piece;
import dev.rota.internal.worker.Flows.Flow;
import dev.rota.internal.worker.Flows.RunCost;
import dev.rota.internal.worker.WorkerConfig.KindSettings;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
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

  private static final double SECONDS_READY = 0.5;
  private static final int LEAST_PART = 16;

  private static final Comparator<Waiting> BY_TURN =
      Comparator.<Waiting>comparingDouble(waiting -> waiting.turn)
          .thenComparingInt(waiting -> waiting.flow.tenant());

  private final Flows flows;
  private final ReentrantLock lock;
  private final int handlers;
  private final int limit;
  private final boolean limited;
  private final Map<Integer, Waiting> tenants = new HashMap<>();
  private final TreeSet<Waiting> shortOnes = new TreeSet<>(BY_TURN);
  private final TreeSet<Waiting> longOnes = new TreeSet<>(BY_TURN);
  private final AtomicInteger running = new AtomicInteger();
  private final AtomicLong waiting = new AtomicLong();
  private final AtomicLong waitingBesides = new AtomicLong();
  private final AtomicLong finishedTasks = new AtomicLong();
  private @Nullable Waiting firstShort;
  private int tasksInLine;
  private int longInLine;

  /** For one group of a worker that has so many handlers. */
  WorkQueue(KindSettings.Group group, int concurrency, Flows flows) {
    this.flows = flows;
    this.lock = flows.lock();
    this.limit = group.limit();
    this.limited = group.isLimited();
    this.handlers = Math.min(limit, concurrency);
  }

  void add(BatchProgress run) {
    int size = run.batch().tasks().size();
    waits(run, size);
    lock.lock();
    try {
      Waiting own = of(run.batch().tenant().number());
      own.add(run);
      waits(own, size);
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
    lock.lock();
    try {
      end(slice, flows.now());
    } finally {
      lock.unlock();
    }
  }

  /**
   * The pieces that the handler of others runs next; null if there is none. For a group without a
   * limit: one lock for both, since a task may cost less than a lock.
   */
  @Nullable TimeSlice leaveForNext(TimeSlice slice) {
    lock.lock();
    try {
      long now = flows.now();
      end(slice, now);
      return next(now);
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
        slice.owner.putBack(pieces);
        waits(slice.owner, pieces.size());
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
    Waiting own = slice.owner;
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
    Waiting ofShort = firstOfShort();
    if (!mayRunLong()) {
      return ofShort;
    }
    Waiting ofLong = longOnes.first();
    return ofShort == null || BY_TURN.compare(ofLong, ofShort) < 0 ? ofLong : ofShort;
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
    return Math.abs(own.flow.tag() - own.turn) <= QUANTUM
        && own.amongLong == own.flow.cost(own.next().kind()).isLong();
  }

  private TimeSlice take(Waiting own, long now) {
    List<Piece> pieces = own.pollTogether();
    Piece first = pieces.get(0);
    int tasks = Math.max(first.size(), pieces.size());
    Flows.Work work = new Flows.Work(first.kind(), tasks, pieces.size() > 1);
    Flows.Charge charge = flows.begin(own.flow, work, own.turn, now);
    removed(own, tasks);
    return new TimeSlice(this, own, pieces, charge);
  }

  private void removed(Waiting own, int tasks) {
    count(own, -tasks);
    if (own.count() == 0) {
      takeOutOfLine(own);
      own.clear();
      flows.waitsNoMore(own.flow);
    }
  }

  private void count(Waiting own, int more) {
    tasksInLine += more;
    longInLine += own.amongLong ? more : 0;
  }

  private void putInLine(Waiting own) {
    RunCost cost = own.flow.cost(own.next().kind());
    own.cost = cost;
    own.amongLong = cost.isLong();
    own.turn = own.flow.tag();
    own.inLine = (own.amongLong ? longOnes : shortOnes).add(own);
    firstShort = null;
    count(own, own.count());
    if (cost.isSeen() && !own.amongLong) {
      flows.sawShort(own.flow, flows.now());
    }
  }

  private void takeOutOfLine(Waiting own) {
    boolean unused = (own.amongLong ? longOnes : shortOnes).remove(own);
    own.inLine = false;
    firstShort = null;
    count(own, -own.count());
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
      Piece piece = own.poll();
      removed(own, piece.size());
      return piece;
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

  /**
   * Whether half a second's worth of the tenant's share of the handlers is held; never for a tenant
   * that is alone.
   */
  @Override
  public boolean isSated(int tenant) {
    lock.lock();
    try {
      Waiting own = tenants.get(tenant);
      return own != null && !flows.isAlone() && own.count() >= part(own, 1);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Whether half of that is held, or half of the tenant's share of all tasks to hold. Of a tenant
   * that is alone, or has long tasks, no more is wanted while the worker holds enough in total.
   *
   * @param target how many tasks to hold in total
   */
  boolean isHalfSated(int tenant, double target) {
    lock.lock();
    try {
      Waiting own = tenants.get(tenant);
      if (own == null) {
        return false;
      }
      return own.isLong()
          || (own.count() > 0 && flows.isAlone())
          || own.count() >= part(own, 0.5)
          || own.count() >= Math.max(LEAST_PART, 0.5 * target * flows.share(own.flow));
    } finally {
      lock.unlock();
    }
  }

  private double part(Waiting own, double partly) {
    double part = SECONDS_READY * handlers * flows.share(own.flow) / own.meanSeconds;
    return Math.max(LEAST_PART, partly * part);
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
   * The pieces that a job runs before it asks its queue again: one, or several cheap ones of one
   * tenant and kind. The first one is always run; the queue can take back those that did not begin.
   * Thread-safe.
   */
  static final class TimeSlice implements Flows.Charged {

    private final WorkQueue queue;

    /** The batches among which its pieces waited. Used under the lock of the queue. */
    private final Waiting owner;

    private final List<Piece> pieces;
    private final Flows.Charge charge;
    private final AtomicInteger begun = new AtomicInteger(1);
    private volatile Piece current;

    TimeSlice(WorkQueue queue, Waiting owner, List<Piece> pieces, Flows.Charge charge) {
      this.queue = queue;
      this.owner = owner;
      this.pieces = pieces;
      this.charge = charge;
      this.current = pieces.get(0);
    }

    /** The queue that gave it out. */
    WorkQueue queue() {
      return queue;
    }

    @Override
    public Flows.Charge charge() {
      return charge;
    }

    /** The piece that began last. */
    Piece current() {
      return current;
    }

    /** Begins the piece after that; null if none is left. */
    @Nullable Piece next() {
      int place = begun.getAndIncrement();
      if (place >= pieces.size()) {
        return null;
      }
      Piece piece = pieces.get(place);
      current = piece;
      return piece;
    }

    /** Takes back the pieces that did not begin; they begin no more. */
    List<Piece> takeBack() {
      int place = begun.getAndSet(pieces.size());
      return place < pieces.size() ? pieces.subList(place, pieces.size()) : List.of();
    }
  }

  /**
   * The tasks of one tenant that wait for a handler, in the order of their batches, and its place
   * in line. Used under the lock.
   */
  static final class Waiting {
    private final Flow flow;
    private final Deque<BatchProgress> batches = new ArrayDeque<>();
    private final Deque<Piece> returned = new ArrayDeque<>();
    private int count;
    private double turn;
    private boolean inLine;
    private boolean amongLong;
    private @Nullable RunCost cost;
    private double meanSeconds = 0.010;

    Waiting(Flow flow) {
      this.flow = flow;
    }

    /** Whether the last of its tasks that were checked is expected to be long. */
    boolean isLong() {
      return cost != null && cost.isLong();
    }

    void took(double eachSeconds) {
      meanSeconds += 0.1 * (eachSeconds - meanSeconds);
    }

    /** The number of tasks. */
    int count() {
      return count;
    }

    /** Adds the tasks of a batch. */
    void add(BatchProgress batch) {
      batches.add(batch);
      count += batch.batch().tasks().size();
    }

    /** Returns the next piece; there is one while the count is positive. */
    Piece next() {
      return Objects.requireNonNull(peek());
    }

    private @Nullable Piece peek() {
      Piece piece = returned.peek();
      while (piece == null && !batches.isEmpty()) {
        piece = batches.element().peekPiece();
        if (piece == null) {
          batches.remove();
        }
      }
      return piece;
    }

    /** Takes the next piece. */
    Piece poll() {
      Piece piece = next();
      if (returned.poll() == null) {
        piece.run().skipPiece();
      }
      count -= piece.size();
      return piece;
    }

    /** Takes the next piece, and further ones of the same kind, as many as one handler may run. */
    List<Piece> pollTogether() {
      Piece first = poll();
      int most = first.size() == 1 ? flow.cost(first.kind()).together() : 1;
      if (most == 1 || !hasNext(first.kind())) {
        return List.of(first);
      }
      List<Piece> pieces = new ArrayList<>(most);
      pieces.add(first);
      while (pieces.size() < most && hasNext(first.kind())) {
        pieces.add(poll());
      }
      return pieces;
    }

    private boolean hasNext(String kind) {
      Piece next = peek();
      return next != null && next.size() == 1 && next.kind().equals(kind);
    }

    /** Puts pieces of one task each back to the front, in their order. */
    void putBack(List<Piece> pieces) {
      for (int i = pieces.size() - 1; i >= 0; i--) {
        returned.addFirst(pieces.get(i));
      }
      count += pieces.size();
    }

    /** Forgets the batches whose tasks were all taken. */
    void clear() {
      batches.clear();
    }
  }
}
