package dev.rota.crash.interleaving;

import java.util.List;

/** A few actors and what they do. */
public interface Scenario {

  /** As in printed schedules. */
  String name();

  /** Brings about what the actors find. */
  void prepare(InterleavingEnvironment world) throws Exception;

  /** The actors. */
  List<Role> roles(InterleavingEnvironment world);

  /** What comes after all have ended, before the last claims. */
  default void close(InterleavingEnvironment world) throws Exception {}

  /** What must be so after each step, beyond what must always be so. */
  default void verifyStep(InterleavingEnvironment world, Census census) throws Exception {}

  /** What must be so in the end, beyond what must always be so. */
  default void verify(InterleavingEnvironment world, Census census) throws Exception {}

  /** Priorities for which the tenant has a lane beside the default one. */
  default List<Integer> priorities() {
    return List.of();
  }

  /** Whether tables come and go, so that what has ended may be forgotten. */
  default boolean retires() {
    return false;
  }

  /** Whether a task may run again after it was done, with attempts that begin anew. */
  default boolean runsAgain() {
    return false;
  }
}
