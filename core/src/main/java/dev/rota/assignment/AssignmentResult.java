package dev.rota.assignment;

import java.util.Optional;

/** The result of requesting an assignment from a pool. A request never waits. */
public sealed interface AssignmentResult {

  /**
   * Returns the assignment, if this call made it.
   *
   * @return the assignment; empty if there is an older one, or none
   */
  default Optional<Assignment> made() {
    return Optional.empty();
  }

  /**
   * The call made an assignment. It lasts until it is released, or until the lease of this process
   * ends.
   *
   * @param assignment the new assignment
   */
  record Assigned(Assignment assignment) implements AssignmentResult {

    @Override
    public Optional<Assignment> made() {
      return Optional.of(assignment);
    }
  }

  /**
   * The requesting side already has an assignment; of a pair, at least one side has. Nothing was
   * changed.
   *
   * @param assignment the older assignment, which any process may have made
   */
  record AlreadyAssigned(Assignment assignment) implements AssignmentResult {}

  /**
   * No assignment is possible at this moment. Nothing was changed.
   *
   * @param reason the reason
   */
  record Busy(Reason reason) implements AssignmentResult {}

  /** Why no assignment is possible. */
  enum Reason {

    /**
     * No worker or task that the pool knows is free, or all free ones are being assigned at this
     * moment. Another request helps after a release.
     */
    NONE_FREE,

    /**
     * Another transaction is deciding about the same worker or task, and has not committed yet. An
     * immediate repetition helps.
     */
    CONTENDED
  }
}
