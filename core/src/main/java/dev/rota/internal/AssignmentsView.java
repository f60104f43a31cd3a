package dev.rota.internal;

import dev.rota.Assignments;
import dev.rota.PairPool;
import dev.rota.TaskPool;
import dev.rota.WorkerPool;
import java.util.function.Function;

/** The assignment pools of a tenant in the hands of a user. */
final class AssignmentsView implements Assignments {

  private final Runnable ensureOpen;
  private final AssignmentPools pools;
  private final Function<Pool, PoolClerk> clerks;
  private final TenantHandle tenant;

  /**
   * For one tenant.
   *
   * @param ensureOpen refuses work after the end of the Rota
   * @param clerks make what does the work of a pool
   */
  AssignmentsView(
      Runnable ensureOpen,
      AssignmentPools pools,
      Function<Pool, PoolClerk> clerks,
      TenantHandle tenant) {
    this.ensureOpen = ensureOpen;
    this.pools = pools;
    this.clerks = clerks;
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
    ensureOpen.run();
    return clerks.apply(pools.open(tenant, pool, kind));
  }
}
