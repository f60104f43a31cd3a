package dev.rota.crash.sabotage;

import dev.rota.crash.interleaving.Rewriting;
import dev.rota.crash.interleaving.Scenario;
import java.util.function.Supplier;

/**
 * A wrong variant of Rota.
 *
 * @param name what is done wrong
 * @param rule the rule of the design that it breaks
 * @param wrong what makes it wrong
 * @param detector the scenario that must catch it
 * @param sabotaged the scenario as it is played with the wrong variant; most often the same
 */
record Sabotage(
    String name, String rule, Supplier<Rewriting> wrong, Scenario detector, Scenario sabotaged) {

  static Sabotage of(String name, String rule, Supplier<Rewriting> wrong, Scenario detector) {
    return new Sabotage(name, rule, wrong, detector, detector);
  }

  /** Whether a caller does something wrong, in circumstances that one who does right meets too. */
  boolean isOfScenario() {
    return detector != sabotaged;
  }

  @Override
  public String toString() {
    return name;
  }
}
