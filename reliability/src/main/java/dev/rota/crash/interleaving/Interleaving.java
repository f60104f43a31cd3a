package dev.rota.crash.interleaving;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A sequence of moves in printed form, which can be pasted and played again.
 *
 * @param scenario the name of the scenario
 * @param moves the moves, each {@code actor:call}
 */
record Interleaving(String scenario, List<String> moves) {

  private static final String SEPARATOR = " | ";

  static Interleaving of(String scenario, List<Move> moves) {
    return new Interleaving(scenario, moves.stream().map(Move::toString).toList());
  }

  static Interleaving parse(String text) {
    List<String> parts = Arrays.stream(text.split("\\|")).map(String::strip).toList();
    return new Interleaving(parts.get(0), List.copyOf(parts.subList(1, parts.size())));
  }

  /** Chooses as printed, as far as that is possible, and then the first actor. */
  Chooser chooser() {
    Iterator<String> remaining = new ArrayList<>(moves).iterator();
    return (possible, continuing) -> {
      String wanted = remaining.hasNext() ? remaining.next() : "";
      return possible.stream()
          .filter(move -> move.toString().equals(wanted))
          .findFirst()
          .orElse(possible.get(0));
    };
  }

  @Override
  public String toString() {
    return scenario + SEPARATOR + moves.stream().collect(Collectors.joining(SEPARATOR));
  }
}
