package dev.rota.crash.interleaving;

import java.util.List;

/** Decides who goes on. */
@FunctionalInterface
interface Chooser {

  /**
   * The next move.
   *
   * @param moves at least one; that of the actor who moved last comes first, if it can go on
   * @param continuing whether the first one is his
   */
  Move choose(List<Move> moves, boolean continuing);
}
