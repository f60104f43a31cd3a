package dev.rota.crash.interleaving;

import java.util.ArrayList;
import java.util.List;

/** A scenario that is composed from lambdas. */
public final class ScriptedScenario implements Scenario {

  private final String name;
  private final List<Part> parts = new ArrayList<>();
  private final List<Integer> priorities = new ArrayList<>();
  private Act preparation = environment -> {};
  private Act closing = environment -> {};
  private Verdict verdict = (environment, census) -> {};
  private Verdict verdictOfSteps = (environment, census) -> {};
  private boolean retires;
  private boolean runsAgain;

  private record Part(String name, boolean impatient, Act act) {}

  /** An action in an environment. */
  @FunctionalInterface
  public interface Act {
    void play(InterleavingEnvironment environment) throws Exception;
  }

  /** A rule on a census. */
  @FunctionalInterface
  public interface Verdict {
    void verify(InterleavingEnvironment environment, Census census) throws Exception;
  }

  private ScriptedScenario(String name) {
    this.name = name;
  }

  /** Creates an empty scenario. */
  public static ScriptedScenario named(String name) {
    return new ScriptedScenario(name);
  }

  /** Sets the initial state. */
  public ScriptedScenario given(Act act) {
    preparation = act;
    return this;
  }

  /** Adds an actor. */
  public ScriptedScenario actor(String actor, Act act) {
    parts.add(new Part(actor, false, act));
    return this;
  }

  /** Adds an actor that may be made to give up while it waits for a lock. */
  public ScriptedScenario impatient(String actor, Act act) {
    parts.add(new Part(actor, true, act));
    return this;
  }

  /** Sets an action after all actors have ended. */
  public ScriptedScenario finallyDo(Act act) {
    closing = act;
    return this;
  }

  /** Sets a rule that holds after each step. */
  public ScriptedScenario always(Verdict rule) {
    verdictOfSteps = rule;
    return this;
  }

  /** Sets a rule that holds at the end. */
  public ScriptedScenario then(Verdict rule) {
    verdict = rule;
    return this;
  }

  /** Adds a lane of this priority to the tenant. */
  public ScriptedScenario withLane(int priority) {
    priorities.add(priority);
    return this;
  }

  /** Declares that tables come and go. */
  public ScriptedScenario thatRetires() {
    retires = true;
    return this;
  }

  /** Declares that tasks may run again after they were done. */
  public ScriptedScenario thatRunsAgain() {
    runsAgain = true;
    return this;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public void prepare(InterleavingEnvironment environment) throws Exception {
    preparation.play(environment);
  }

  @Override
  public List<Role> roles(InterleavingEnvironment environment) {
    return parts.stream()
        .map(part -> new Role(part.name(), part.impatient(), () -> part.act().play(environment)))
        .toList();
  }

  @Override
  public void close(InterleavingEnvironment environment) throws Exception {
    closing.play(environment);
  }

  @Override
  public void verify(InterleavingEnvironment environment, Census census) throws Exception {
    verdict.verify(environment, census);
  }

  @Override
  public void verifyStep(InterleavingEnvironment environment, Census census) throws Exception {
    verdictOfSteps.verify(environment, census);
  }

  @Override
  public List<Integer> priorities() {
    return priorities;
  }

  @Override
  public boolean retires() {
    return retires;
  }

  @Override
  public boolean runsAgain() {
    return runsAgain;
  }

  @Override
  public String toString() {
    return name;
  }
}
