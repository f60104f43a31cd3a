package dev.rota.crash.interleaving;

import java.util.List;

/** A few actors and their roles. */
public interface Scenario {

  /** Its name in printed schedules. */
  String name();

  /** Creates the initial state. */
  void prepare(InterleavingEnvironment environment) throws Exception;

  /** The actors. */
  List<Role> roles(InterleavingEnvironment environment);

  /** Called after all actors have ended, before the last claims. */
  default void close(InterleavingEnvironment environment) throws Exception {}

  /** Checks the scenario's own rules after each step, beyond the invariants. */
  default void verifyStep(InterleavingEnvironment environment, Census census) throws Exception {}

  /** Checks the scenario's own rules at the end, beyond the invariants. */
  default void verify(InterleavingEnvironment environment, Census census) throws Exception {}

  /** Priorities for which the tenant has a lane beside the default one. */
  default List<Integer> priorities() {
    return List.of();
  }

  /** Whether tables come and go, so that ended tasks may be dropped. */
  default boolean retires() {
    return false;
  }

  /** Whether a task may run again after it was done, with attempts counted from 1 again. */
  default boolean runsAgain() {
    return false;
  }
}
