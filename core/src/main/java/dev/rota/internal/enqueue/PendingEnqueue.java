package dev.rota.internal.enqueue;

import dev.rota.NewTask;
import dev.rota.internal.tenant.TenantRef;
import java.util.concurrent.CompletableFuture;

/** A task on its way into the database. Used by one thread at a time. */
final class PendingEnqueue {

  private static final int OVERHEAD_BYTES = 200;

  private final TenantRef tenant;
  private final NewTask task;
  private final CompletableFuture<Long> future = new CompletableFuture<>();
  private final boolean elsewhere;
  private long id;

  /**
   * Creates the enqueue of one caller.
   *
   * @param elsewhere whether its future completes on the common pool
   */
  PendingEnqueue(TenantRef tenant, NewTask task, boolean elsewhere) {
    this.tenant = tenant;
    this.task = task;
    this.elsewhere = elsewhere;
  }

  TenantRef tenant() {
    return tenant;
  }

  NewTask task() {
    return task;
  }

  CompletableFuture<Long> future() {
    return future;
  }

  boolean completesElsewhere() {
    return elsewhere;
  }

  /** The id under which it is being stored. */
  long id() {
    return id;
  }

  void id(long newId) {
    id = newId;
  }

  /** The memory that it takes, approximately. */
  long bytes() {
    return OVERHEAD_BYTES + 2L * task.payload().length();
  }
}
