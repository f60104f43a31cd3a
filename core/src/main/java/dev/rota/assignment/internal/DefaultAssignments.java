package dev.rota.assignment.internal;

import dev.rota.assignment.Assignments;
import dev.rota.assignment.PairPool;
import dev.rota.assignment.TaskPool;
import dev.rota.assignment.WorkerPool;
import dev.rota.internal.tenant.TenantRef;
import java.util.function.Function;

/** The assignment pools of a tenant in the hands of a user. */
public final class DefaultAssignments implements Assignments {

  private final Runnable ensureOpen;
  private final PoolRegistry pools;
  private final Function<PoolStatements, PoolClerk> clerks;
  private final TenantRef tenant;

  /**
   * For one tenant.
   *
   * @param ensureOpen refuses work after the end of the Rota
   * @param clerks make what does the work of a pool
   */
  public DefaultAssignments(
      Runnable ensureOpen,
      PoolRegistry pools,
      Function<PoolStatements, PoolClerk> clerks,
      TenantRef tenant) {
    this.ensureOpen = ensureOpen;
    this.pools = pools;
    this.clerks = clerks;
    this.tenant = tenant;
  }

  @Override
  public WorkerPool workers(String pool) {
    return new DefaultWorkerPool(open(pool, PoolKind.WORKERS));
  }

  @Override
  public TaskPool tasks(String pool) {
    return new DefaultTaskPool(open(pool, PoolKind.TASKS));
  }

  @Override
  public PairPool pairs(String pool) {
    return new DefaultPairPool(open(pool, PoolKind.PAIRS));
  }

  private PoolClerk open(String pool, PoolKind kind) {
    ensureOpen.run();
    return clerks.apply(pools.open(tenant, pool, kind));
  }
}
