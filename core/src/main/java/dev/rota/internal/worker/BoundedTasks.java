package dev.rota.internal.worker;

import dev.rota.internal.claim.TaskRules;
import dev.rota.internal.claim.TaskRules.Bound;
import dev.rota.internal.worker.BatchProgress.Piece;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Claimed tasks that rules bound, until they may begin. Then they come into their queue, where they
 * compete with all others for a handler. So no handler waits for a bound. Thread-safe.
 */
final class BoundedTasks {

  /**
   * One in so many handlers may have a bounded task in line. What such a task holds is of no use
   * until a handler runs it.
   */
  private static final int HANDLERS_FOR_ONE = 4;

  private static final int LEAST_IN_LINE = 4;

  private final Flows flows;
  private final int most;
  private final Map<Key, Deque<Held>> lines = new LinkedHashMap<>();
  private int inLine;

  /** The tasks of one tenant that need the same. */
  private record Key(int tenant, Bound bound) {}

  private record Held(WorkQueue queue, Piece piece) {}

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
    lines.computeIfAbsent(keyOf(held.piece, bound), unused -> new ArrayDeque<>()).add(held);
  }

  private static Key keyOf(Piece piece, Bound bound) {
    return new Key(piece.run().batch().tenant().number(), bound);
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
    for (var lineOf = lines.entrySet().iterator(); lineOf.hasNext(); ) {
      Map.Entry<Key, Deque<Held>> line = lineOf.next();
      for (Iterator<Held> each = line.getValue().iterator(); each.hasNext(); ) {
        Held held = each.next();
        if (which.test(held.piece)) {
          each.remove();
          line.getKey().bound.waiting(-1);
          taken.add(held);
        }
      }
      if (line.getValue().isEmpty()) {
        lineOf.remove();
      }
    }
    return taken;
  }

  /** Lets tasks into their queues that may begin, as long as few of them wait there. */
  synchronized void admit() {
    while (inLine < most && !lines.isEmpty()) {
      Key next = flows.look(this::next);
      if (next == null || !next.bound.tryBegin()) {
        return;
      }
      admitOneOf(next);
    }
  }

  /**
   * The line with room whose tenant has had the least; of equal ones the one that waits longest.
   */
  private @Nullable Key next() {
    Key next = null;
    double lowest = Double.POSITIVE_INFINITY;
    for (Key key : lines.keySet()) {
      double tag = flows.tag(key.tenant);
      if (tag < lowest && key.bound.hasRoom()) {
        next = key;
        lowest = tag;
      }
    }
    return next;
  }

  private void admitOneOf(Key key) {
    Deque<Held> line = lines.remove(key);
    if (line == null) {
      return;
    }
    Held held = line.remove();
    if (!line.isEmpty()) {
      lines.put(key, line);
    }
    key.bound.waiting(-1);
    held.piece.holds(key.bound);
    inLine++;
    held.queue.admit(held.piece);
  }

  /** Records that a task which was let into its queue has left it. */
  synchronized void left() {
    inLine--;
  }

  /** The number of tasks that wait here. */
  synchronized long count() {
    return lines.values().stream()
        .flatMap(Deque::stream)
        .mapToLong(held -> held.piece.size())
        .sum();
  }

  synchronized boolean isEmpty() {
    return lines.isEmpty();
  }
}
