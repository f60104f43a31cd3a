package dev.rota.daemon.internal.leader;

import dev.rota.internal.db.DaemonThreads;
import dev.rota.internal.log.Logs;
import dev.rota.internal.maintenance.Backoff;
import dev.rota.internal.maintenance.MaintenanceTask;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;

/**
 * A thread that polls for a lock of the daemons, and runs maintenance tasks while it holds the
 * lock. In-memory state is discarded when leadership is lost; a new leader starts with a full scan.
 */
public final class LeaderLoop {

  private static final Logger log = Logs.of(LeaderLoop.class);
  private static final int MOST_FAILURES = 4;

  private final String who;
  private final LeaderLock leadership;
  private final StandbyLog standby;
  private final long tickNanos;
  private final TaskFactory taskFactory;
  private final Thread thread;
  private volatile boolean stopping;
  private int failures;

  /** Creates the tasks of the lock holder. */
  public interface TaskFactory {

    /** Creates the tasks of a new leader, in the order of their urgency. */
    List<MaintenanceTask> create(LeaderSession leader) throws SQLException;
  }

  /**
   * Creates a loop that is not started yet.
   *
   * @param who what it is, for the log
   * @param tick how often to ask for the lock
   */
  public LeaderLoop(
      String who,
      String threadName,
      LeaderLock leadership,
      Duration tick,
      TaskFactory taskFactory) {
    this.who = who;
    this.leadership = leadership;
    this.standby = new StandbyLog(who, leadership);
    this.tickNanos = tick.toNanos();
    this.taskFactory = taskFactory;
    this.thread = new Thread(this::run, threadName);
    thread.setDaemon(true);
  }

  public void start() {
    thread.start();
  }

  public boolean isHeld() {
    return leadership.isHeld();
  }

  public boolean isStopping() {
    return stopping;
  }

  /** Lets the current step finish; does not wait for it. */
  public void stop() {
    stopping = true;
    LockSupport.unpark(thread);
  }

  /** Waits for the end, after {@link #stop}. */
  public void join() {
    // The current step is finished nevertheless; the interrupt flag is restored afterwards.
    DaemonThreads.join(thread);
  }

  private void run() {
    while (!stopping) {
      try {
        seekAndServe();
      } catch (Throttle.StoppedException e) {
        log.debug("{} gives up its current step", who);
      } catch (LeadershipLostException e) {
        leadership.abandon();
        failed(e);
      } catch (SQLException | RuntimeException | Error e) {
        leadership.resign();
        failed(e);
      }
    }
    leadership.resign();
  }

  private void seekAndServe() throws SQLException {
    LeaderSession leader = leadership.seek();
    if (leader == null) {
      recovered();
      standby.tell();
      pause(Backoff.jittered(tickNanos));
    } else {
      serve(leader);
    }
  }

  private void serve(LeaderSession leader) throws SQLException {
    List<MaintenanceTask> tasks = new ArrayList<>(taskFactory.create(leader));
    tasks.add(new Confirmation(leadership, leader));
    recovered();
    standby.forget();
    log.info("{} leads", who);
    MaintenanceScheduler roster = new MaintenanceScheduler(tasks);
    while (!stopping) {
      roster.round(() -> stopping);
      pause(roster.pause());
    }
  }

  private void pause(long nanos) {
    if (!stopping && nanos > 0) {
      LockSupport.parkNanos(nanos);
    }
  }

  private void recovered() {
    if (failures > 0) {
      log.info("{} is at work again", who);
      failures = 0;
    }
  }

  /** Logs a failure, and waits half a second to eight seconds before the next attempt. */
  private void failed(Throwable e) {
    failures = Math.min(failures + 1, MOST_FAILURES + 1);
    if (failures == 1) {
      log.warn("{} cannot work, and keeps trying: {}", who, e.getMessage());
      log.debug("{} cannot work", who, e);
    }
    pause(Backoff.beforeRetry(failures));
  }

  /** Checks every second that the leader still leads. */
  private record Confirmation(LeaderLock leadership, LeaderSession leader)
      implements MaintenanceTask {

    @Override
    public String name() {
      return "confirm the leadership";
    }

    @Override
    public Duration run() throws SQLException {
      leadership.confirm(leader);
      return Backoff.jittered(Duration.ofSeconds(1));
    }
  }
}
