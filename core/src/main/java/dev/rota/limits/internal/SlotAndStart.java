package dev.rota.limits.internal;

import dev.rota.internal.claim.TaskRules.Bound;

/**
 * What tasks need under caps and rates. A start is asked for and taken only where there is a slot,
 * since it cannot be kept.
 */
record SlotAndStart(Bound slot, Bound start) implements Bound {

  @Override
  public boolean hasRoom() {
    return slot.hasRoom() && start.hasRoom();
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
    return start.mayStillBegin(takenAt);
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
