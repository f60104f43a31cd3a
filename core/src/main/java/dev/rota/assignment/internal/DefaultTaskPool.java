package dev.rota.assignment.internal;

import dev.rota.assignment.Assignment;
import dev.rota.assignment.AssignmentResult;
import dev.rota.assignment.TaskPool;
import dev.rota.internal.enqueue.Enqueuer;
import java.sql.Connection;
import java.util.Collection;

/** A pool of known tasks in the hands of a user. */
final class DefaultTaskPool extends PoolView implements TaskPool {

  DefaultTaskPool(PoolClerk clerk) {
    super(clerk);
  }

  @Override
  public int add(Collection<Long> tasks) {
    Enqueuer.refuseClosed(clerk.pool().tenant());
    return clerk.add(tasks);
  }

  @Override
  public int remove(Collection<Long> tasks) {
    return clerk.remove(tasks);
  }

  @Override
  public AssignmentResult assign(long worker) {
    return clerk.assign(null, WORKER, worker);
  }

  @Override
  public AssignmentResult assign(Connection connection, long worker) {
    return clerk.assign(connection, WORKER, worker);
  }

  @Override
  public boolean finish(Assignment assignment) {
    return clerk.finish(null, assignment);
  }

  @Override
  public boolean finish(Connection connection, Assignment assignment) {
    return clerk.finish(connection, assignment);
  }

  @Override
  public long countFree() {
    return clerk.countFree();
  }
}
