package dev.rota.internal.worker;

import dev.rota.internal.worker.BatchProgress.Piece;
import dev.rota.internal.worker.WorkQueue.Waiting;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The pieces that a job runs before it asks its queue again: one, or several cheap ones of one
 * tenant and kind. The first one is always run; the queue can take back those that did not begin.
 * Thread-safe.
 */
final class TimeSlice implements Flows.Charged {

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

  /** The batches among which its pieces waited. Used under the lock of the queue. */
  Waiting owner() {
    return owner;
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
