package dev.rota.assignment.internal;

import dev.rota.assignment.AssignmentResult;
import dev.rota.assignment.WorkerPool;
import java.sql.Connection;
import java.util.Collection;

/** A pool of known workers in the hands of a user. */
final class DefaultWorkerPool extends PoolView implements WorkerPool {

  DefaultWorkerPool(PoolClerk clerk) {
    super(clerk);
  }

  @Override
  public int add(Collection<Long> workers) {
    return clerk.add(workers);
  }

  @Override
  public int remove(Collection<Long> workers) {
    return clerk.remove(workers);
  }

  @Override
  public AssignmentResult assign(long task) {
    return clerk.assign(null, TASK, task);
  }

  @Override
  public AssignmentResult assign(Connection connection, long task) {
    return clerk.assign(connection, TASK, task);
  }

  @Override
  public long countFree() {
    return clerk.countFree();
  }
}
