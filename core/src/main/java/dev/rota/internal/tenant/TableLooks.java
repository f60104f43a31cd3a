package dev.rota.internal.tenant;

import dev.rota.DatabaseException;
import dev.rota.RotaException;
import dev.rota.internal.db.NamedThreads;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Ensures the tables of tenants on a few threads of its own, for callers that may not wait for
 * long. The callers of one tenant share a look. While the database is away, no caller waits.
 * Thread-safe.
 */
final class TableLooks {

  /** How long a caller waits for a look. */
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  /** How long no caller waits after a look for which there was no connection. */
  private static final Duration PAUSE = Duration.ofSeconds(1);

  /** As many tenants with locked tables delay no other one. */
  private static final int MOST_THREADS = 8;

  private final Consumer<TenantRef> ensure;
  private final ThreadPoolExecutor threads =
      new ThreadPoolExecutor(
          MOST_THREADS,
          MOST_THREADS,
          PATIENCE.toMillis(),
          TimeUnit.MILLISECONDS,
          new LinkedBlockingQueue<>(),
          new NamedThreads("rota-tables"));
  private final Map<TenantRef, Look> looks = new ConcurrentHashMap<>();
  private volatile @Nullable Look stuck;
  private volatile long pausedUntil = System.nanoTime();

  /** Creates it with the work of a look, which blocks. */
  TableLooks(Consumer<TenantRef> ensure) {
    this.ensure = ensure;
    threads.allowCoreThreadTimeOut(true);
  }

  /**
   * Whether a look ensured the tables in time.
   *
   * @throws RotaException if it failed
   */
  boolean ensured(TenantRef tenant) {
    return !isDatabaseAway() && lookAt(tenant).isInTime();
  }

  private boolean isDatabaseAway() {
    Look last = stuck;
    return System.nanoTime() - pausedUntil < 0 || (last != null && !last.end.isDone());
  }

  private Look lookAt(TenantRef tenant) {
    Look added = new Look(tenant);
    Look running = looks.putIfAbsent(tenant, added);
    if (running != null) {
      return running;
    }
    try {
      threads.execute(added::run);
    } catch (RuntimeException | Error e) {
      added.end(e);
    }
    return added;
  }

  /** The work for one tenant. */
  private final class Look {
    private final TenantRef tenant;
    private final CompletableFuture<Boolean> end = new CompletableFuture<>();

    private Look(TenantRef tenant) {
      this.tenant = tenant;
    }

    private void run() {
      try {
        ensure.accept(tenant);
        end(null);
      } catch (RuntimeException | Error e) {
        end(e);
      }
    }

    private void end(@Nullable Throwable failure) {
      looks.remove(tenant, this);
      if (failure instanceof DatabaseException refusal && refusal.unavailable()) {
        pausedUntil = System.nanoTime() + PAUSE.toNanos();
      }
      boolean unused = failure == null ? end.complete(true) : end.completeExceptionally(failure);
    }

    private boolean isInTime() {
      try {
        return end.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
      } catch (TimeoutException e) {
        if (!tenant.isFresh()) {
          // It has not even read the registry.
          stuck = this;
        }
        return false;
      } catch (ExecutionException e) {
        throw e.getCause() instanceof RotaException refusal
            ? refusal
            : new RotaException("make the tables of " + tenant.label() + ": " + e.getCause(), e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
  }
}
