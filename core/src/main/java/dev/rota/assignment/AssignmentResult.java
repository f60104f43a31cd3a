package dev.rota.assignment;

import java.util.Optional;

/** What came of asking a pool for an assignment. No answer is ever waited for. */
public sealed interface AssignmentResult {

  /**
   * The assignment, if this call made it.
   *
   * @return the assignment; empty if there is an older one, or none
   */
  default Optional<Assignment> made() {
    return Optional.empty();
  }

  /**
   * The call made an assignment. It lasts until it is released, or until the lease of this process
   * is over.
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
   * The one who asked is in an assignment already; of a pair, one of the two is. Nothing was
   * changed.
   *
   * @param assignment the older assignment, whoever made it
   */
  record AlreadyAssigned(Assignment assignment) implements AssignmentResult {}

  /**
   * There is nothing to be had at this moment. Nothing was changed.
   *
   * @param reason why
   */
  record Busy(Reason reason) implements AssignmentResult {}

  /** Why there is nothing to be had. */
  enum Reason {

    /**
     * None of those that the pool knows is free, or those that are, are being assigned at this
     * moment. Asking again helps after a release.
     */
    NONE_FREE,

    /**
     * Another transaction is deciding about the same worker or task, and has not committed yet.
     * Asking again helps at once.
     */
    CONTENDED
  }
}
