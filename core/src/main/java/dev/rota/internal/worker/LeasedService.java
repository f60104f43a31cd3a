package dev.rota.internal.worker;

import dev.rota.DeliveryMode;
import dev.rota.internal.Claim;
import dev.rota.internal.Claimer;
import dev.rota.internal.Lease;
import dev.rota.internal.Settler;
import dev.rota.internal.TenantRegistry;
import dev.rota.internal.Threads;
import dev.rota.internal.db.BatchEnd;
import dev.rota.internal.db.Database;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The modes in which handlers run after the claim's commit: leased, where outcomes are settled, and
 * fire and forget, where batches are closed as they are claimed. Several threads claim, so that one
 * reads its tasks while those of another are being moved; one settles; handlers run on the
 * executor.
 */
final class LeasedService implements Service {

  /** With two, one claims while the tasks of the other are read; with four, no core waits. */
  static final int FETCHERS = 4;

  private static final long MOST_UNSETTLED = 64_000;
  private static final long MOST_UNSETTLED_BATCHES = 32;

  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  private final Lease lease;
  private final WorkerSettings settings;
  private final boolean settles;
  private final Tally tally;
  private final HeldBytes held;
  private final Workbench workbench;
  private final SettleDesk desk;
  private final List<Track> tracks = new ArrayList<>();
  private final List<Thread> fetching = new ArrayList<>();
  private final Thread settling = new Thread(this::settle, "rota-settler");
  private volatile boolean stopping;
  private volatile boolean finishing;

  LeasedService(
      Parts parts, WorkerSettings settings, Agendas agendas, Tally tally, Executor executor) {
    this.lease = parts.lease;
    this.settings = settings;
    this.settles = settings.mode() == DeliveryMode.LEASED;
    this.tally = tally;
    this.held = new HeldBytes(settings.heldBytes());
    this.desk = new SettleDesk(parts.settler, lease, tally, held);
    FailureDesk failures = new FailureDesk(settings);
    this.workbench = new Workbench(settings, agendas.flows(), failures, executor, this::finished);
    for (int i = 0; i < settings.groups().size(); i++) {
      tracks.add(trackOf(parts.claimers, i, agendas.of(i)));
    }
    for (int i = 0; i < FETCHERS; i++) {
      Fetcher fetcher = new Fetcher(parts.database, parts.registry, agendas, new Taking(), i);
      Thread thread = new Thread(() -> fetch(fetcher), "rota-fetcher-" + (i + 1));
      thread.setDaemon(true);
      fetching.add(thread);
    }
    settling.setDaemon(true);
  }

  /** What it claims and settles with. */
  record Parts(
      Database database,
      TenantRegistry registry,
      Lease lease,
      Settler settler,
      Claimer.Factory claimers) {}

  private final class Taking implements Fetcher.Taker {

    @Override
    public void take(Track track, Claim claim) {
      claimed(track, claim);
    }

    @Override
    public void lose(Claim claim) {
      lease.drop(claim.batch().id());
    }
  }

  private Track trackOf(Claimer.Factory claimers, int number, Agenda agenda) {
    KindGroup group = settings.groups().get(number);
    agenda.goBy(workbench.queue(number));
    return new Track(
        agenda,
        settings.claimer(claimers, number, settles ? BatchEnd.OPEN : BatchEnd.SETTLED),
        new Appetite(Math.min(group.limit(), settings.concurrency()), settings.batchSize()),
        workbench.queue(number),
        false);
  }

  @Override
  public void start() {
    fetching.forEach(Thread::start);
    settling.start();
  }

  @Override
  public void stopClaiming() {
    stopping = true;
    fetching.forEach(Threads::join);
    tracks.forEach(track -> track.claimer().close());
    // Fire and forget has nothing to hand back: what was claimed is run.
    if (settles) {
      workbench.stop();
    }
  }

  @Override
  public boolean awaitHandlers(long nanos) {
    long deadline = System.nanoTime() + nanos;
    while (!workbench.isIdle()) {
      if (deadline - System.nanoTime() <= 0) {
        return false;
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    return true;
  }

  @Override
  public void interruptHandlers() {
    workbench.stop();
    workbench.interrupt();
    if (!awaitHandlers(TimeUnit.SECONDS.toNanos(1))) {
      workbench.giveUp();
    }
  }

  @Override
  public void finish() {
    desk.finish();
    finishing = true;
    Threads.join(settling);
    workbench.close();
  }

  private void claimed(Track track, Claim claim) {
    tally.claimed(claim.batch().tasks().size());
    BatchRun run =
        new BatchRun(
            claim.batch(),
            track,
            kind -> settings.handlers().batchHandler(kind) != null,
            settings.hourlyStatistics());
    held.add(run.bytes());
    if (settles) {
      desk.opened(run);
    }
    workbench.add(run);
  }

  private void finished(BatchRun run) {
    if (settles) {
      desk.finished(run);
    } else {
      FireAndForget.report(run, tally);
      held.release(run.bytes());
    }
  }

  private void fetch(Fetcher fetcher) {
    try (fetcher) {
      while (!stopping) {
        fetchDue(fetcher, fetcher.awaitWork());
        workbench.chargeRunning();
        workbench.startJobs();
      }
    } catch (InterruptedException e) {
      throw Threads.unexpected(e);
    }
  }

  private void fetchDue(Fetcher fetcher, List<Integer> due) throws InterruptedException {
    boolean sated = !due.isEmpty();
    for (int group : due) {
      Track track = tracks.get(group);
      sated &= !fetchWanted(fetcher, track) && !fetchWanted(fetcher, track.beside());
    }
    if (sated) {
      fetcher.rest();
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  /** False if nothing more is wanted now, or it is the turn of no tenant. */
  private boolean fetchWanted(Fetcher fetcher, Track track) throws InterruptedException {
    int wants = track.wants();
    try {
      if (wants == 0 || isFarAhead() || !held.reserve(settings.claimHeldBytes())) {
        return false;
      }
      try {
        return fetcher.fetch(track, wants, settings.batchSize());
      } finally {
        held.release(settings.claimHeldBytes());
      }
    } finally {
      track.claimed(wants);
    }
  }

  /** What is finished and not yet settled takes memory too, and would be lost with this process. */
  private boolean isFarAhead() {
    return desk.unsettled()
        > Math.max(MOST_UNSETTLED, MOST_UNSETTLED_BATCHES * settings.batchSize());
  }

  private void settle() {
    try {
      while (!finishing || !desk.isEmpty()) {
        desk.settleOnce();
      }
    } catch (InterruptedException e) {
      throw Threads.unexpected(e);
    }
  }
}
