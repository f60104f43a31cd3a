package dev.rota.dashboard.internal.action;

import dev.rota.DatabaseException;
import dev.rota.RotaException;
import dev.rota.audit.AuditEntry;
import dev.rota.audit.AuditEntry.Result;
import dev.rota.audit.AuditLog;
import dev.rota.audit.AuditState;
import dev.rota.audit.AuditedAction;
import dev.rota.dashboard.Viewer;
import dev.rota.dashboard.internal.action.Action.Counted;
import dev.rota.dashboard.internal.view.Constants;
import dev.rota.dashboard.internal.view.ForbiddenException;
import dev.rota.dashboard.internal.view.Inputs;
import dev.rota.dashboard.internal.view.Visit;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs actions in the background, and records them in the audit from their beginning to their end.
 * Those that change a counted number of tasks may take long: two run at once, and the others do not
 * wait for them. Thread-safe.
 */
public final class Operations {

  private static final Logger log = LoggerFactory.getLogger(Operations.class);
  private static final Logger audit = LoggerFactory.getLogger("dev.rota.audit");

  private static final int THREADS = 2;
  private static final int MOST_WAITING = 1_000;
  private static final long IDLE_SECONDS = 10;

  /** The audit shows an action as interrupted that is not renewed for a minute. */
  private static final Duration RENEWAL = Duration.ofSeconds(20);

  private final AuditLog entries;
  private final Duration renewal;
  private final ThreadPoolExecutor ofManyTasks = threads();
  private final ThreadPoolExecutor others = threads();
  private final ScheduledExecutorService renewals = renewals();

  public Operations(AuditLog entries) {
    this(entries, RENEWAL);
  }

  /** Creates one that tells the audit of each action in such intervals. */
  Operations(AuditLog entries, Duration renewal) {
    this.entries = entries;
    this.renewal = renewal;
  }

  private static ThreadPoolExecutor threads() {
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

  private static ScheduledExecutorService renewals() {
    ScheduledThreadPoolExecutor pool = new ScheduledThreadPoolExecutor(1, Operations::thread);
    pool.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
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
    new Operation(id, action, plan).start();
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

  /** An action that waits for a thread or runs: it tells the audit that its process lives. */
  private final class Operation implements Runnable {

    private static final long INTERVAL = 1_000_000_000L;

    private final long id;
    private final Action action;
    private final Action.Plan plan;
    private final ThreadPoolExecutor threads;
    private volatile long writtenAt;
    private volatile long tasks;
    private volatile boolean stopped;
    private volatile boolean ended;

    Operation(long id, Action action, Action.Plan plan) {
      this.id = id;
      this.action = action;
      this.plan = plan;
      this.threads = plan.counted().equals(Counted.NOT) ? others : ofManyTasks;
    }

    void start() {
      try {
        threads.execute(this);
        renewLater();
      } catch (RejectedExecutionException e) {
        end(AuditState.FAILED, MOST_WAITING + " changes wait already; try again when some ended");
      }
    }

    private void renewLater() {
      var unused = renewals.schedule(this::renew, renewal.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void renew() {
      if (ended) {
        return;
      }
      try {
        write();
      } catch (RotaException e) {
        log.debug(
            "the progress of {} (entry {} of the audit) is not recorded", action.name(), id, e);
      }
      if (stopped && threads.remove(this)) {
        end(AuditState.STOPPED, "");
      } else {
        renewLater();
      }
    }

    /** Tells the audit how far it is, and takes note of a viewer's wish to stop. */
    private void write() {
      writtenAt = System.nanoTime();
      if (!entries.progress(id, tasks)) {
        stopped = true;
      }
    }

    @Override
    public void run() {
      try {
        // A viewer may have stopped it while it waited.
        write();
        String detail = stopped ? "" : plan.work().run(this::proceed);
        end(stopped ? AuditState.STOPPED : AuditState.DONE, detail);
      } catch (RotaException | IllegalArgumentException e) {
        end(AuditState.FAILED, String.valueOf(e.getMessage()));
      } catch (RuntimeException e) {
        log.warn("the dashboard could not {} (entry {} of the audit)", action.name(), id, e);
        end(AuditState.FAILED, e.toString());
      }
    }

    private void end(AuditState state, String detail) {
      ended = true;
      Operations.this.end(id, action, new Result(state, tasks, stopped, detail));
    }

    /** Takes note of a finished step, and writes at most once a second. */
    private boolean proceed(long soFar) {
      tasks = soFar;
      if (System.nanoTime() - writtenAt >= INTERVAL) {
        write();
      }
      return !stopped;
    }
  }
}
