package dev.rota.internal.worker;

import dev.rota.internal.claim.TaskRules;
import dev.rota.internal.claim.TaskRules.Bound;
import dev.rota.internal.worker.BatchProgress.Piece;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Claimed tasks that rules bound, until they may begin. Then they come into their queue, where they
 * compete with all others for a handler. So no handler waits for a bound. Thread-safe.
 *
 * <p>Tasks of one tenant that need the same form a line. A line that lacks something is parked, and
 * costs nothing until that may have come: each begin and each end of a task would otherwise ask
 * hundreds of lines in vain.
 */
final class BoundedTasks {

  /**
   * One in so many handlers may have a bounded task in line. What such a task holds is of no use
   * until a handler runs it.
   */
  private static final int HANDLERS_FOR_ONE = 4;

  private static final int LEAST_IN_LINE = 4;

  /** The lines of tenants that have had the least come first; of equal ones the longest waiting. */
  private static final Comparator<Line> BY_TURN =
      Comparator.<Line>comparingDouble(line -> line.tag).thenComparingLong(line -> line.number);

  private final Flows flows;
  private final int most;
  private final Map<Key, Line> lines = new HashMap<>();
  private final TreeSet<Line> open = new TreeSet<>(BY_TURN);

  /** Lines by what they lack. */
  private final Map<Object, List<Line>> parked = new HashMap<>();

  private long numbers;
  private int inLine;

  /** The tasks of one tenant that need the same. */
  private record Key(int tenant, Bound bound) {}

  private record Held(WorkQueue queue, Piece piece) {}

  /** The waiting tasks of one key. It is empty only once it is in none of the collections. */
  private static final class Line {
    private final Key key;
    private final Deque<Held> held = new ArrayDeque<>();

    /** The tag of the flow when it was looked at last. Tags grow, but for small corrections. */
    private double tag;

    private long number;
    private @Nullable Object lacks;

    Line(Key key) {
      this.key = key;
    }
  }

  /** For a worker with so many handlers. */
  BoundedTasks(Flows flows, int handlers) {
    this.flows = flows;
    this.most = Math.max(LEAST_IN_LINE, handlers / HANDLERS_FOR_ONE);
  }

  /** Adds pieces; those that nothing bounds come into the queue at once. */
  synchronized void add(WorkQueue queue, List<Piece> pieces, TaskRules rules) {
    pieces.forEach(piece -> add(new Held(queue, piece), rules));
  }

  private void add(Held held, TaskRules rules) {
    Bound bound = held.piece.boundBy(rules);
    if (bound == null) {
      held.queue.admit(held.piece);
      return;
    }
    bound.waiting(1);
    lines.computeIfAbsent(keyOf(held.piece, bound), this::newLine).held.add(held);
  }

  private static Key keyOf(Piece piece, Bound bound) {
    return new Key(piece.run().batch().tenant().number(), bound);
  }

  private Line newLine(Key key) {
    Line line = new Line(key);
    putInOrder(line);
    return line;
  }

  /** Opens a line, behind others with the same tag. */
  private void putInOrder(Line line) {
    line.tag = flows.tag(line.key.tenant);
    line.number = numbers++;
    open.add(line);
  }

  /** Lets all that wait here need what other rules demand. */
  synchronized void bind(TaskRules rules) {
    takeOutHeld(piece -> true).forEach(held -> add(held, rules));
  }

  /** Takes out some pieces, which do not begin. */
  synchronized List<Piece> takeOut(Predicate<Piece> which) {
    return takeOutHeld(which).stream().map(Held::piece).toList();
  }

  private List<Held> takeOutHeld(Predicate<Piece> which) {
    List<Held> taken = new ArrayList<>();
    List<Line> all = List.copyOf(lines.values());
    for (Line line : all) {
      for (Iterator<Held> each = line.held.iterator(); each.hasNext(); ) {
        Held held = each.next();
        if (which.test(held.piece)) {
          each.remove();
          line.key.bound.waiting(-1);
          taken.add(held);
        }
      }
      if (line.held.isEmpty()) {
        remove(line);
      }
    }
    return taken;
  }

  private void remove(Line line) {
    lines.remove(line.key);
    Object lacks = line.lacks;
    if (lacks == null) {
      open.remove(line);
    } else {
      parked.computeIfPresent(lacks, (unused, some) -> without(line, some));
    }
  }

  private static @Nullable List<Line> without(Line line, List<Line> some) {
    some.remove(line);
    return some.isEmpty() ? null : some;
  }

  /** Lets tasks into their queues that may begin, as long as few of them wait there. */
  synchronized void admit() {
    while (inLine < most && !open.isEmpty()) {
      Line next = next();
      Bound bound = next.key.bound;
      Object lacks = bound.lacks();
      if (lacks == null && bound.tryBegin()) {
        admitOneOf(next);
      } else {
        // Another worker of the process may have been faster; then it is looked at again with all.
        park(next, lacks == null ? bound : lacks);
      }
    }
  }

  /** Takes the open line whose tenant has had the least. */
  private Line next() {
    while (true) {
      Line first = Objects.requireNonNull(open.pollFirst());
      double tag = flows.tag(first.key.tenant);
      if (tag <= first.tag) {
        return first;
      }
      first.tag = tag;
      open.add(first);
    }
  }

  private void park(Line line, Object lacks) {
    line.lacks = lacks;
    parked.computeIfAbsent(lacks, unused -> new ArrayList<>()).add(line);
  }

  private void admitOneOf(Line line) {
    Held held = line.held.remove();
    if (line.held.isEmpty()) {
      lines.remove(line.key);
    } else {
      putInOrder(line);
    }
    Bound bound = line.key.bound;
    bound.waiting(-1);
    held.piece.holds(bound);
    inLine++;
    held.queue.admit(held.piece);
  }

  /** Opens the lines that lack what the task of a piece had. */
  synchronized void ended(Piece piece) {
    Bound bound = piece.bound();
    if (bound != null) {
      bound.gives().forEach(this::open);
    }
  }

  /** Opens all lines: what they lack may have come. */
  synchronized void reopen() {
    List.copyOf(parked.keySet()).forEach(this::open);
  }

  private void open(Object given) {
    List<Line> some = parked.remove(given);
    if (some != null) {
      for (Line line : some) {
        line.lacks = null;
        open.add(line);
      }
    }
  }

  /** Records that a task which was let into its queue has left it. */
  synchronized void left() {
    inLine--;
  }

  /** The number of tasks that wait here. */
  synchronized long count() {
    return lines.values().stream()
        .flatMap(line -> line.held.stream())
        .mapToLong(held -> held.piece.size())
        .sum();
  }

  synchronized boolean isEmpty() {
    return lines.isEmpty();
  }
}
