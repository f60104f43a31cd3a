package dev.rota.assignment.internal;

import dev.rota.assignment.AssignmentResult;
import dev.rota.assignment.PairPool;
import java.sql.Connection;

/** A pool that knows nobody beforehand in the hands of a user. */
final class DefaultPairPool extends PoolView implements PairPool {

  DefaultPairPool(PoolClerk clerk) {
    super(clerk);
  }

  @Override
  public AssignmentResult assign(long worker, long task) {
    return clerk.assignPair(null, worker, task);
  }

  @Override
  public AssignmentResult assign(Connection connection, long worker, long task) {
    return clerk.assignPair(connection, worker, task);
  }
}
