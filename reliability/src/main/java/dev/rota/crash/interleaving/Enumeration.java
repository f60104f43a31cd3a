package dev.rota.crash.interleaving;

import java.util.ArrayList;
import java.util.List;

/**
 * Enumerates all orders in which an actor is stopped in favour of another one at most a bounded
 * number of times, depth first. A blocked or ended actor does not count as stopped.
 *
 * <p>The bound on preemptions is that of Musuvathi and Qadeer, "Iterative Context Bounding for
 * Systematic Testing of Multithreaded Programs" (2007). Most errors need few of them.
 */
final class Enumeration implements Chooser {

  private final int mostPreemptions;
  private final List<Decision> path = new ArrayList<>();
  private int depth;

  private static final class Decision {
    private final int moves;
    private final boolean continuing;
    private final int preemptionsBefore;
    private int chosen;

    Decision(int moves, boolean continuing, int preemptionsBefore) {
      this.moves = moves;
      this.continuing = continuing;
      this.preemptionsBefore = preemptionsBefore;
    }

    private int preemptions() {
      return preemptionsBefore + (continuing && chosen > 0 ? 1 : 0);
    }
  }

  Enumeration(int mostPreemptions) {
    this.mostPreemptions = mostPreemptions;
  }

  @Override
  public Move choose(List<Move> moves, boolean continuing) {
    if (depth == path.size()) {
      int before = depth == 0 ? 0 : path.get(depth - 1).preemptions();
      path.add(new Decision(moves.size(), continuing, before));
    }
    Decision decision = path.get(depth++);
    // A lock timeout may have come sooner than last time: then there are other moves.
    return moves.get(Math.min(decision.chosen, moves.size() - 1));
  }

  /** Advances to the next order; false when all were played. */
  boolean advance() {
    while (path.size() > depth) {
      path.remove(path.size() - 1);
    }
    depth = 0;
    while (!path.isEmpty()) {
      Decision last = path.get(path.size() - 1);
      if (mayChooseAnother(last)) {
        last.chosen++;
        return true;
      }
      path.remove(path.size() - 1);
    }
    return false;
  }

  private boolean mayChooseAnother(Decision decision) {
    return decision.chosen + 1 < decision.moves
        && (!decision.continuing || decision.preemptionsBefore < mostPreemptions);
  }
}
