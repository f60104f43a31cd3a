package dev.rota.partition.internal;

import dev.rota.internal.Engine;
import dev.rota.internal.Threads;
import dev.rota.internal.db.RotaTables;
import dev.rota.partition.DaemonStatistics;
import dev.rota.partition.RotationDaemon;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A daemon: asks for the leadership, serves while it has it, and begins anew when it is lost. What
 * it knows in memory belongs to one reign, so that a new one starts by looking at all tenants.
 */
final class RunningDaemon implements RotationDaemon {

  private static final Logger log = LoggerFactory.getLogger(RunningDaemon.class);
  private static final int MOST_FAILURES = 4;

  private final Engine engine;
  private final DaemonSettings settings;
  private final Leadership leadership;
  private final Tally tally = new Tally();
  private final Thread thread = new Thread(this::run, "rota-daemon");
  private volatile boolean stopping;
  private int failures;

  RunningDaemon(Engine engine, DaemonSettings settings) {
    this.engine = engine;
    this.settings = settings;
    this.leadership = new Leadership(engine);
    thread.setDaemon(true);
  }

  void start() {
    engine.preflight().logOnce();
    thread.start();
  }

  @Override
  public boolean isLeading() {
    return leadership.isHeld();
  }

  @Override
  public DaemonStatistics statistics() {
    return tally.snapshot();
  }

  @Override
  public void close() {
    stopping = true;
    LockSupport.unpark(thread);
    // The step under way is finished all the same; an interrupted caller hears of it afterwards.
    Threads.join(thread);
  }

  private void run() {
    while (!stopping) {
      try {
        seekAndServe();
      } catch (LeadershipLostException e) {
        leadership.abandon();
        failed(e);
      } catch (SQLException | RuntimeException e) {
        leadership.resign();
        failed(e);
      }
    }
    leadership.resign();
  }

  private void seekAndServe() throws SQLException {
    Mandate mandate = leadership.seek();
    if (mandate == null) {
      recovered();
      pause(Pauses.jittered(settings.tick().toNanos()));
    } else {
      serve(mandate);
    }
  }

  private void serve(Mandate mandate) throws SQLException {
    RotaTables tables = engine.tables();
    TenantBook book = new TenantBook(mandate, engine.registry(), tables);
    book.reload();
    recovered();
    log.info("this Rota daemon leads in schema \"{}\"", tables.schema());
    DutyRoster roster = new DutyRoster(duties(mandate, book));
    while (!stopping) {
      roster.round(() -> stopping);
      pause(roster.pause());
    }
  }

  /** In the order of their urgency. */
  private List<Duty> duties(Mandate mandate, TenantBook book) {
    RotaTables tables = engine.tables();
    AgeWatch ages = new AgeWatch(mandate, book);
    Rotator rotator = new Rotator(mandate, engine, settings, tally, ages);
    SegmentKeeper segments = new SegmentKeeper(mandate, engine, settings, tally);
    return List.of(
        new Promoter(mandate, engine, book, settings, tally),
        new Timekeeper(mandate, engine),
        new Reaper(mandate, engine, settings, tally),
        new AssignmentReaper(mandate, engine, settings),
        new GraphKeeper(mandate, engine, settings),
        book,
        new Confirmation(leadership, mandate),
        new Surveyor(mandate, tables, book, settings, List.of(rotator, segments)),
        rotator,
        segments,
        new LedgerKeeper(mandate, tables, settings, tally),
        new HistoryRetirer(mandate, engine, book, settings, tally),
        ages,
        new KeySweeper(mandate, book, settings),
        new RegistryCleaner(mandate, tables, settings));
  }

  private void pause(long nanos) {
    if (!stopping && nanos > 0) {
      LockSupport.parkNanos(nanos);
    }
  }

  private void recovered() {
    if (failures > 0) {
      log.info("the Rota daemon is at work again");
      failures = 0;
    }
  }

  /** Half a second to eight seconds between the attempts. */
  private void failed(Exception e) {
    failures = Math.min(failures + 1, MOST_FAILURES + 1);
    if (failures == 1) {
      log.warn("the Rota daemon cannot work, and goes on trying: {}", e.getMessage());
      log.debug("the Rota daemon cannot work", e);
    }
    pause(Pauses.beforeRetry(failures));
  }

  /** Looks every second whether the leader still leads. */
  private record Confirmation(Leadership leadership, Mandate mandate) implements Duty {

    @Override
    public String name() {
      return "confirm the leadership";
    }

    @Override
    public long perform() throws SQLException {
      leadership.confirm(mandate);
      return Pauses.jittered(TimeUnit.SECONDS.toNanos(1));
    }
  }
}
