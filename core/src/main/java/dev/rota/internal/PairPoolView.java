package dev.rota.internal;

import dev.rota.AssignmentResult;
import dev.rota.PairPool;
import java.sql.Connection;

/** A pool that knows nobody beforehand in the hands of a user. */
final class PairPoolView extends PoolView implements PairPool {

  PairPoolView(PoolClerk clerk) {
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
