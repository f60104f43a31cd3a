package dev.rota.internal.db;

import java.util.List;

/**
 * A transaction that serves several callers at once. One caller's trouble fails no other: after a
 * refusal they are served in smaller groups.
 */
public interface SharedTransaction<C> {

  /** Serves all of them in one transaction. */
  void commit(List<C> callers);

  /**
   * The smaller groups to serve after a refusal, each caller alone by default; none if no group
   * would fare better.
   */
  default List<List<C>> parts(List<C> callers) {
    return callers.size() == 1 ? List.of() : callers.stream().map(List::of).toList();
  }

  /** Tells them that the transaction has committed. What this throws leads to no other try. */
  void committed(List<C> callers);

  /** Tells them that they are not served, or with an Error that it is not known. */
  void failed(List<C> callers, Throwable failure);

  /**
   * Serves them together, or in smaller groups where that is refused. Not after an Error, which may
   * have come when all was committed.
   */
  default void serve(List<C> callers) {
    try {
      commit(callers);
    } catch (RuntimeException e) {
      List<List<C>> parts = SqlErrors.isConnectionLoss(e) ? List.of() : parts(callers);
      if (parts.isEmpty()) {
        failed(callers, e);
      } else {
        parts.forEach(this::serve);
      }
      return;
    } catch (Error e) {
      failed(callers, e);
      return;
    }
    committed(callers);
  }
}
