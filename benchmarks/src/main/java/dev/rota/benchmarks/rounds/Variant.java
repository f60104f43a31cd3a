package dev.rota.benchmarks.rounds;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A contender of one version of the benchmarks.
 *
 * @param contender a value of the parameter {@code contender}
 * @param jar the benchmarks of another version, or empty for this one
 */
record Variant(String contender, Optional<Path> jar) {

  private static final String PARAMETER = "contender=";

  /** The contender, with the name of the jar if it is another one. */
  String label() {
    return jar.map(file -> contender + ", " + file.getFileName()).orElse(contender);
  }

  /** Lists all contenders, each first in this version and then in the other one. */
  static List<Variant> of(List<String> contenders, Optional<Path> other) {
    List<Variant> variants = new ArrayList<>();
    for (String contender : contenders) {
      variants.add(new Variant(contender, Optional.empty()));
      other.ifPresent(jar -> variants.add(new Variant(contender, Optional.of(jar))));
    }
    return variants;
  }

  /** Returns the contenders that options of JMH select; none means the default of the benchmark. */
  static List<String> contenders(List<String> options) {
    return options.stream()
        .filter(option -> option.startsWith(PARAMETER))
        .flatMap(option -> List.of(option.substring(PARAMETER.length()).split(",")).stream())
        .toList();
  }

  /** Returns options of JMH that select this contender instead of all. */
  List<String> select(List<String> options) {
    List<String> selected = new ArrayList<>();
    for (int i = 0; i < options.size(); i++) {
      if (i + 1 < options.size() && options.get(i + 1).startsWith(PARAMETER)) {
        i++;
      } else {
        selected.add(options.get(i));
      }
    }
    selected.addAll(List.of("-p", PARAMETER + contender));
    return selected;
  }
}
