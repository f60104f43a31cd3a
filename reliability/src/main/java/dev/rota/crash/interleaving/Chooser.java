package dev.rota.crash.interleaving;

import java.util.List;

/** Chooses the actor that moves next. */
@FunctionalInterface
interface Chooser {

  /**
   * Chooses the next move.
   *
   * @param moves at least one; the move of the actor that moved last comes first, if it can
   *     continue
   * @param continuing whether the first move is that one
   */
  Move choose(List<Move> moves, boolean continuing);
}
