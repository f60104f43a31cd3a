package dev.rota.assignment.internal;

import dev.rota.assignment.Assignment;
import dev.rota.assignment.AssignmentPool;
import java.sql.Connection;
import java.util.Optional;

/** What the pools of all kinds have in common in the hands of a user. */
abstract class PoolView implements AssignmentPool {

  static final String WORKER = "worker";
  static final String TASK = "task";

  final PoolClerk clerk;

  PoolView(PoolClerk clerk) {
    this.clerk = clerk;
  }

  @Override
  public String name() {
    return clerk.pool().name();
  }

  @Override
  public boolean release(Assignment assignment) {
    return clerk.release(null, assignment);
  }

  @Override
  public boolean release(Connection connection, Assignment assignment) {
    return clerk.release(connection, assignment);
  }

  @Override
  public Optional<Assignment> findByTask(long task) {
    return clerk.find(TASK, task);
  }

  @Override
  public Optional<Assignment> findByWorker(long worker) {
    return clerk.find(WORKER, worker);
  }

  @Override
  public String toString() {
    return clerk.pool().label();
  }
}
