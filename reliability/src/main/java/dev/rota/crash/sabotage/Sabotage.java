package dev.rota.crash.sabotage;

import dev.rota.crash.interleaving.Rewriting;
import dev.rota.crash.interleaving.Scenario;
import java.util.function.Supplier;

/**
 * A wrong variant of Rota.
 *
 * @param name the error
 * @param rule the rule of the design that it breaks
 * @param wrong injects the error
 * @param detector the scenario that must catch it
 * @param sabotaged the scenario played with the wrong variant; usually the same
 */
record Sabotage(
    String name, String rule, Supplier<Rewriting> wrong, Scenario detector, Scenario sabotaged) {

  static Sabotage of(String name, String rule, Supplier<Rewriting> wrong, Scenario detector) {
    return new Sabotage(name, rule, wrong, detector, detector);
  }

  /**
   * Whether the scenario itself makes the error, in circumstances that a correct caller meets too.
   */
  boolean isOfScenario() {
    return detector != sabotaged;
  }

  @Override
  public String toString() {
    return name;
  }
}
