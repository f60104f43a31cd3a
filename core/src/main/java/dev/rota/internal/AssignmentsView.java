package dev.rota.internal;

import dev.rota.Assignments;
import dev.rota.PairPool;
import dev.rota.TaskPool;
import dev.rota.WorkerPool;

/** The assignment pools of a tenant in the hands of a user. */
final class AssignmentsView implements Assignments {

  private final Engine engine;
  private final TenantHandle tenant;

  AssignmentsView(Engine engine, TenantHandle tenant) {
    this.engine = engine;
    this.tenant = tenant;
  }

  @Override
  public WorkerPool workers(String pool) {
    return new WorkerPoolView(open(pool, PoolKind.WORKERS));
  }

  @Override
  public TaskPool tasks(String pool) {
    return new TaskPoolView(open(pool, PoolKind.TASKS));
  }

  @Override
  public PairPool pairs(String pool) {
    return new PairPoolView(open(pool, PoolKind.PAIRS));
  }

  private PoolClerk open(String pool, PoolKind kind) {
    engine.ensureOpen();
    return new PoolClerk(engine, engine.assignmentPools().open(tenant, pool, kind));
  }
}
