package dev.rota.crash.interleaving;

import java.util.ArrayList;
import java.util.List;

/** A scenario that is put together from lambdas. */
public final class ScriptedScenario implements Scenario {

  private final String name;
  private final List<Part> parts = new ArrayList<>();
  private final List<Integer> priorities = new ArrayList<>();
  private Act preparation = world -> {};
  private Act closing = world -> {};
  private Verdict verdict = (world, census) -> {};
  private Verdict verdictOfSteps = (world, census) -> {};
  private boolean retires;
  private boolean runsAgain;

  private record Part(String name, boolean impatient, Act act) {}

  /** Something that is done in a world. */
  @FunctionalInterface
  public interface Act {
    void play(InterleavingEnvironment world) throws Exception;
  }

  /** What must be so in the end. */
  @FunctionalInterface
  public interface Verdict {
    void verify(InterleavingEnvironment world, Census census) throws Exception;
  }

  private ScriptedScenario(String name) {
    this.name = name;
  }

  /** An empty one. */
  public static ScriptedScenario named(String name) {
    return new ScriptedScenario(name);
  }

  /** What the actors find. */
  public ScriptedScenario given(Act act) {
    preparation = act;
    return this;
  }

  /** One more actor. */
  public ScriptedScenario actor(String actor, Act act) {
    parts.add(new Part(actor, false, act));
    return this;
  }

  /** One more actor, who may be made to give up while he waits for a lock. */
  public ScriptedScenario impatient(String actor, Act act) {
    parts.add(new Part(actor, true, act));
    return this;
  }

  /** What is done when all have ended. */
  public ScriptedScenario finallyDo(Act act) {
    closing = act;
    return this;
  }

  /** What must be so after each step. */
  public ScriptedScenario always(Verdict rule) {
    verdictOfSteps = rule;
    return this;
  }

  /** What must be so in the end. */
  public ScriptedScenario then(Verdict rule) {
    verdict = rule;
    return this;
  }

  /** The tenant has a lane of this priority. */
  public ScriptedScenario withLane(int priority) {
    priorities.add(priority);
    return this;
  }

  /** Tables come and go. */
  public ScriptedScenario thatRetires() {
    retires = true;
    return this;
  }

  /** Tasks may run again after they were done. */
  public ScriptedScenario thatRunsAgain() {
    runsAgain = true;
    return this;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public void prepare(InterleavingEnvironment world) throws Exception {
    preparation.play(world);
  }

  @Override
  public List<Role> roles(InterleavingEnvironment world) {
    return parts.stream()
        .map(part -> new Role(part.name(), part.impatient(), () -> part.act().play(world)))
        .toList();
  }

  @Override
  public void close(InterleavingEnvironment world) throws Exception {
    closing.play(world);
  }

  @Override
  public void verify(InterleavingEnvironment world, Census census) throws Exception {
    verdict.verify(world, census);
  }

  @Override
  public void verifyStep(InterleavingEnvironment world, Census census) throws Exception {
    verdictOfSteps.verify(world, census);
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
