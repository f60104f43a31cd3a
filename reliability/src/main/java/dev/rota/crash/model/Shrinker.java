package dev.rota.crash.model;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Shrinks a failing sequence: leaves out chunks, the larger first, then single commands, then uses
 * simpler ones, for as long as it still fails. The chunks are those of delta debugging (A. Zeller
 * and R. Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002).
 */
final class Shrinker {

  private final Predicate<List<Command>> fails;
  private int runs;

  /**
   * Creates a shrinker with a limit of tries.
   *
   * @param fails whether a sequence fails
   */
  Shrinker(Predicate<List<Command>> fails, int most) {
    this.fails = sequence -> runs++ < most && fails.test(sequence);
  }

  /**
   * Returns the smallest sequence that it finds; every command of it is needed, unless the limit
   * was reached.
   */
  List<Command> shrink(List<Command> failing) {
    List<Command> smallest = failing;
    List<Command> before;
    do {
      before = smallest;
      smallest = simplify(shorten(smallest));
    } while (!smallest.equals(before));
    return smallest;
  }

  private List<Command> shorten(List<Command> failing) {
    List<Command> shortest = failing;
    for (int chunk = Math.max(1, failing.size() / 2); chunk > 0; chunk /= 2) {
      int from = 0;
      while (from < shortest.size()) {
        List<Command> shorter = without(shortest, from, chunk);
        if (fails.test(shorter)) {
          shortest = shorter;
        } else {
          from += chunk;
        }
      }
    }
    return shortest;
  }

  private static List<Command> without(List<Command> commands, int from, int chunk) {
    List<Command> fewer = new ArrayList<>(commands.subList(0, from));
    fewer.addAll(commands.subList(Math.min(from + chunk, commands.size()), commands.size()));
    return fewer;
  }

  private List<Command> simplify(List<Command> failing) {
    List<Command> simplest = new ArrayList<>(failing);
    for (int i = 0; i < simplest.size(); i++) {
      for (boolean again = true; again; ) {
        again = simplifyOne(simplest, i);
      }
    }
    return simplest;
  }

  private boolean simplifyOne(List<Command> commands, int at) {
    Command present = commands.get(at);
    for (Command simpler : present.simpler()) {
      commands.set(at, simpler);
      if (fails.test(List.copyOf(commands))) {
        return true;
      }
      commands.set(at, present);
    }
    return false;
  }
}
