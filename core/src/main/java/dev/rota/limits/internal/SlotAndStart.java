package dev.rota.limits.internal;

import dev.rota.internal.claim.TaskRules.Bound;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * What tasks need under caps and rates. A start is asked for and taken only where there is a slot,
 * since it cannot be kept.
 */
record SlotAndStart(Bound slot, Bound start) implements Bound {

  @Override
  public @Nullable Object lacks() {
    Object lacking = slot.lacks();
    return lacking == null ? start.lacks() : lacking;
  }

  @Override
  public Collection<?> gives() {
    return slot.gives();
  }

  @Override
  public boolean tryBegin() {
    if (!slot.tryBegin()) {
      return false;
    }
    if (start.tryBegin()) {
      return true;
    }
    slot.end(0);
    return false;
  }

  @Override
  public boolean mayStillBegin(long takenAt) {
    return slot.mayStillBegin(takenAt) && start.mayStillBegin(takenAt);
  }

  @Override
  public void undo(long takenAt) {
    start.undo(takenAt);
    slot.undo(takenAt);
  }

  @Override
  public void end(long nanos) {
    slot.end(nanos);
  }

  @Override
  public void waiting(int more) {
    slot.waiting(more);
    start.waiting(more);
  }
}
