package dev.rota.daemon.internal;

import dev.rota.Rota;
import dev.rota.archive.Archive;
import dev.rota.archive.internal.Archiver;
import dev.rota.archive.internal.DefaultArchive;
import dev.rota.daemon.RotationDaemon;
import dev.rota.daemon.internal.leader.DaemonConfig;
import dev.rota.daemon.internal.leader.DaemonCounters;
import dev.rota.daemon.internal.leader.LeaderLock;
import dev.rota.daemon.internal.leader.LeaderSession;
import dev.rota.daemon.internal.leader.LeadershipLostException;
import dev.rota.internal.DefaultRota;
import dev.rota.internal.Kernel;
import dev.rota.internal.enqueue.DaemonWatch;
import dev.rota.internal.maintenance.MaintenanceTask;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Runs the maintenance tasks of a daemon on request of a test, on the test's own thread. Each time
 * it takes the lead, begins without any earlier knowledge, and resigns. By its settings nothing is
 * due that the test has not aged by more than {@link #OLD}. Used by one thread.
 */
public final class ManualDaemon {

  /** A task of every lock holder, not of the leader alone. */
  private static final String CONFIRMATION = "confirm the leadership";

  /** What is older than this is due: rings, segments of history and of the ledger. */
  public static final Duration OLD = Duration.ofDays(7);

  private final Kernel kernel;
  private final int lock;
  private final TaskFactory taskFactory;
  private final Consumer<Boolean> onDuty;

  /** Creates the tasks of the lock holder. */
  @FunctionalInterface
  private interface TaskFactory {
    List<MaintenanceTask> enter(LeaderSession leader) throws SQLException;
  }

  /** The turn of one duty. */
  @FunctionalInterface
  private interface Step {
    void run() throws SQLException;
  }

  private ManualDaemon(Kernel kernel, int lock, TaskFactory taskFactory, Consumer<Boolean> onDuty) {
    this.kernel = kernel;
    this.lock = lock;
    this.taskFactory = taskFactory;
    this.onDuty = onDuty;
  }

  /** One that leads. */
  public static ManualDaemon leading(Rota rota) {
    return leading(rota, serving -> {});
  }

  /**
   * Creates a daemon that leads, with a listener that tells calls of maintenance tasks from those
   * of the leadership.
   *
   * @param onDuty told true before the first duty of a reign, and false after the last
   */
  public static ManualDaemon leading(Rota rota, Consumer<Boolean> onDuty) {
    Kernel kernel = DefaultRota.kernelOf(rota);
    return new ManualDaemon(
        kernel,
        DaemonWatch.LEADER,
        leader ->
            new MaintenancePlan(
                    leader,
                    kernel,
                    DefaultRota.featuresOf(rota),
                    settings(rota),
                    new DaemonCounters())
                .begin(),
        onDuty);
  }

  /** One that archives. */
  public static ManualDaemon archiving(Rota rota, Archive archive) {
    return archiving(rota, archive, serving -> {});
  }

  /** One that archives; see {@link #leading(Rota, Consumer)}. */
  public static ManualDaemon archiving(Rota rota, Archive archive, Consumer<Boolean> onDuty) {
    Kernel kernel = DefaultRota.kernelOf(rota);
    return new ManualDaemon(
        kernel,
        DefaultArchive.ARCHIVERS_LOCK,
        leader ->
            new Archiver(kernel, settings(rota), DefaultArchive.of(archive), new DaemonCounters())
                .create(leader),
        onDuty);
  }

  private static DaemonConfig settings(Rota rota) {
    DaemonBuilder builder =
        DaemonBuilder.over(rota)
            .rotateEvery(OLD)
            .segmentBytes(0)
            .segmentAge(OLD)
            .keepHistory(OLD)
            .keepLedger(OLD);
    RotationDaemon.Builder unused = DaemonBuilder.trustingTheClock(builder);
    return builder.config();
  }

  /**
   * One reign, in which these duties have their turns in this order.
   *
   * @param tasks their names, as log lines have them; one may come several times
   * @throws SQLException if the database refused, or the leadership was lost
   * @throws IllegalStateException if another daemon leads
   */
  public void perform(String... tasks) throws SQLException {
    LeaderLock leadership =
        new LeaderLock(kernel.database(), kernel.settings().lockNamespace(), lock);
    try {
      serve(leadership, tasks);
    } catch (LeadershipLostException e) {
      leadership.abandon();
      throw new SQLException("the leadership is lost", e);
    } catch (SQLException | RuntimeException e) {
      leadership.resign();
      throw e;
    }
    leadership.resign();
  }

  private void serve(LeaderLock leadership, String... names) throws SQLException {
    LeaderSession leader = leadership.seek();
    if (leader == null) {
      throw new IllegalStateException("another daemon leads");
    }
    List<MaintenanceTask> tasks = taskFactory.enter(leader);
    List<Step> steps = new ArrayList<>();
    for (String name : names) {
      boolean confirms = name.equals(CONFIRMATION);
      steps.add(confirms ? () -> leadership.confirm(leader) : duty(tasks, name)::run);
    }
    onDuty.accept(true);
    try {
      for (Step step : steps) {
        step.run();
      }
    } finally {
      onDuty.accept(false);
    }
  }

  private static MaintenanceTask duty(List<MaintenanceTask> tasks, String name) {
    return tasks.stream()
        .filter(duty -> duty.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no duty is called " + name));
  }
}
