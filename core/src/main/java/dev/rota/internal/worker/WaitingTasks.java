package dev.rota.internal.worker;

import dev.rota.internal.worker.BatchProgress.Piece;
import dev.rota.internal.worker.Flows.Flow;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The claimed tasks of one tenant that wait for a handler, in the order of their batches. Used
 * under the lock of its {@link WorkQueue}.
 */
final class WaitingTasks {

  private final Deque<BatchProgress> batches = new ArrayDeque<>();
  private final Deque<Piece> returned = new ArrayDeque<>();
  private int count;

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

  /**
   * Takes the next piece, and further ones of the same kind.
   *
   * @param flow says how many of them one handler may run
   */
  List<Piece> pollTogether(Flow flow) {
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
