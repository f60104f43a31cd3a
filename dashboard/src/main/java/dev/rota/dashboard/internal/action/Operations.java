package dev.rota.dashboard.internal.action;

import dev.rota.DatabaseException;
import dev.rota.RotaException;
import dev.rota.audit.AuditEntry;
import dev.rota.audit.AuditEntry.Result;
import dev.rota.audit.AuditLog;
import dev.rota.audit.AuditState;
import dev.rota.audit.AuditedAction;
import dev.rota.control.ProgressListener;
import dev.rota.dashboard.Viewer;
import dev.rota.dashboard.internal.view.Constants;
import dev.rota.dashboard.internal.view.ForbiddenException;
import dev.rota.dashboard.internal.view.Inputs;
import dev.rota.dashboard.internal.view.Visit;
import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs actions in the background, and records them in the audit from their beginning to their end.
 * Thread-safe.
 */
public final class Operations {

  private static final Logger log = LoggerFactory.getLogger(Operations.class);
  private static final Logger audit = LoggerFactory.getLogger("dev.rota.audit");

  private static final int THREADS = 2;
  private static final int MOST_WAITING = 1_000;
  private static final long IDLE_SECONDS = 10;

  private final AuditLog entries;
  private final ExecutorService threads = threads();

  public Operations(AuditLog entries) {
    this.entries = entries;
  }

  private static ExecutorService threads() {
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(MOST_WAITING),
            Operations::thread);
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  private static Thread thread(Runnable work) {
    Thread thread = new Thread(work, "rota-dashboard-operation");
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Begins an action.
   *
   * @return the number of its entry in the audit
   * @throws ForbiddenException if the login of the dashboard may not write the audit
   */
  public long begin(Viewer viewer, Action action, Action.Plan plan) {
    AuditedAction audited =
        new AuditedAction(
            viewer.name(), action.name(), plan.tenant(), plan.about(), plan.counted().tasks());
    long id = begin(audited);
    audit.info("{} begins {} ({}): {}", viewer.name(), action.name(), id, plan.about());
    threads.execute(() -> run(id, action, plan));
    return id;
  }

  private long begin(AuditedAction audited) {
    try {
      return entries.begin(audited);
    } catch (DatabaseException e) {
      if (isRefused(e)) {
        throw new ForbiddenException("The login of this dashboard only reads: " + e.getMessage());
      }
      throw e;
    }
  }

  /** Whether the database lets this login change nothing, or is a standby. */
  private static boolean isRefused(DatabaseException refused) {
    return refused.getCause() instanceof SQLException cause
        && Set.of("42501", "25006").contains(String.valueOf(cause.getSQLState()));
  }

  /**
   * Reads the entry that a visit names.
   *
   * @throws IllegalArgumentException if there is none
   * @throws ForbiddenException if the viewer may not see it
   */
  public AuditEntry entry(Visit visit) {
    long id = Inputs.number("id", visit.required("id"));
    AuditEntry entry =
        entries
            .find(id)
            .orElseThrow(() -> new IllegalArgumentException("the audit has no entry " + id));
    entry.action().tenant().ifPresentOrElse(visit::require, visit::requireAllTenants);
    return entry;
  }

  private void run(long id, Action action, Action.Plan plan) {
    AuditListener progress = new AuditListener(id);
    try {
      String detail = plan.work().run(progress);
      end(
          id,
          action,
          result(progress.stopped ? AuditState.STOPPED : AuditState.DONE, progress, detail));
    } catch (RotaException | IllegalArgumentException e) {
      end(id, action, result(AuditState.FAILED, progress, String.valueOf(e.getMessage())));
    } catch (RuntimeException e) {
      log.warn("the dashboard could not {} (entry {} of the audit)", action.name(), id, e);
      end(id, action, result(AuditState.FAILED, progress, e.toString()));
    }
  }

  private static Result result(AuditState state, AuditListener progress, String detail) {
    return new Result(state, progress.tasks, progress.stopped, detail);
  }

  private void end(long id, Action action, Result result) {
    try {
      entries.end(id, result);
      audit.info(
          "{} ({}) is {}: {} tasks. {}",
          action.name(),
          id,
          Constants.nameOf(result.state()),
          result.tasks(),
          result.detail());
    } catch (RotaException e) {
      log.warn("the end of {} (entry {} of the audit) is not recorded", action.name(), id, e);
    }
  }

  /** Writes the progress of an action, at most once a second. Used by one thread. */
  private final class AuditListener implements ProgressListener {

    private static final long INTERVAL = 1_000_000_000L;

    private final long id;
    private long writtenAt = System.nanoTime();
    private long tasks;
    private boolean stopped;

    AuditListener(long id) {
      this.id = id;
    }

    @Override
    public boolean proceed(long soFar) {
      tasks = soFar;
      long now = System.nanoTime();
      if (now - writtenAt >= INTERVAL) {
        writtenAt = now;
        stopped |= !entries.progress(id, tasks);
      }
      return !stopped;
    }
  }
}
