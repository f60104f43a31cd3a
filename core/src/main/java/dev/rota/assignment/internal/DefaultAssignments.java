package dev.rota.assignment.internal;

import dev.rota.assignment.Assignments;
import dev.rota.assignment.PairPool;
import dev.rota.assignment.TaskPool;
import dev.rota.assignment.WorkerPool;
import dev.rota.internal.tenant.TenantRef;
import java.util.function.Function;

/** The default implementation of Assignments. */
public final class DefaultAssignments implements Assignments {

  private final Runnable ensureOpen;
  private final PoolRegistry pools;
  private final Function<PoolStatements, DefaultPool> maker;
  private final TenantRef tenant;

  /**
   * Creates the pools of one tenant.
   *
   * @param ensureOpen refuses work after the end of the Rota
   * @param maker makes a pool from its statements
   */
  public DefaultAssignments(
      Runnable ensureOpen,
      PoolRegistry pools,
      Function<PoolStatements, DefaultPool> maker,
      TenantRef tenant) {
    this.ensureOpen = ensureOpen;
    this.pools = pools;
    this.maker = maker;
    this.tenant = tenant;
  }

  @Override
  public WorkerPool workers(String pool) {
    return open(pool, PoolKind.WORKERS);
  }

  @Override
  public TaskPool tasks(String pool) {
    return open(pool, PoolKind.TASKS);
  }

  @Override
  public PairPool pairs(String pool) {
    return open(pool, PoolKind.PAIRS);
  }

  private DefaultPool open(String pool, PoolKind kind) {
    ensureOpen.run();
    return maker.apply(pools.open(tenant, pool, kind));
  }
}
