package dev.rota.internal.statistics;

import dev.rota.internal.log.Logs;
import dev.rota.internal.schema.AttemptStateCode;
import dev.rota.internal.settle.ClaimedTask;
import dev.rota.internal.settle.ClaimedTask.Outcome;
import dev.rota.internal.text.ErrorText;
import dev.rota.internal.worker.WorkerCounters.SettleListener;
import dev.rota.spi.EndedAttempt;
import dev.rota.spi.TaskObserver;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Reports the attempts of a worker to an observer. Once a minute it reads the clock of the
 * database, by which the waiting times are calculated. Thread-safe.
 */
public final class AttemptReporter implements SettleListener {

  private static final Logger log = Logs.of(AttemptReporter.class);
  private static final long PAUSE_SECONDS = 60;

  /** Means that the clock of the database is not known yet. */
  private static final long UNKNOWN = Long.MIN_VALUE;

  private final TaskObserver observer;
  private final StatisticsWriter clock;
  private final ScheduledExecutorService background;
  private final boolean retries;
  private volatile long epochMicros = UNKNOWN;
  private @Nullable Future<?> timer;

  /**
   * Creates the reporter of one worker.
   *
   * @param clock reads the clock of the database
   * @param retries whether a failed attempt is followed by another one
   */
  public AttemptReporter(
      TaskObserver observer,
      StatisticsWriter clock,
      ScheduledExecutorService background,
      boolean retries) {
    this.observer = observer;
    this.clock = clock;
    this.background = background;
    this.retries = retries;
  }

  @Override
  public void start() {
    timer = background.scheduleWithFixedDelay(this::readClock, 0, PAUSE_SECONDS, TimeUnit.SECONDS);
  }

  @Override
  public void close() {
    if (timer != null) {
      timer.cancel(false);
    }
  }

  /**
   * Reads the clock; it stays as it was known if that fails, as clocks of machines hardly drift.
   */
  private void readClock() {
    try {
      epochMicros = clock.clock() - System.nanoTime() / 1_000;
    } catch (RuntimeException | Error e) {
      log.debug("the clock of the database could not be read for an observer", e);
    }
  }

  @Override
  public void settled(Collection<Ended> attempts, UnaryOperator<Outcome> written) {
    long epoch = epochMicros;
    List<EndedAttempt> told = new ArrayList<>(attempts.size());
    for (Ended ended : attempts) {
      Outcome outcome = written.apply(ended.outcome());
      EndedAttempt.Ending ending = ending(outcome.state());
      told.add(new DefaultEndedAttempt(ended, outcome, ending, waitNanos(ended, ending, epoch)));
    }
    observer.ended(told);
  }

  private EndedAttempt.Ending ending(AttemptStateCode state) {
    return switch (state) {
      case DONE -> EndedAttempt.Ending.DONE;
      case FAILED -> retries ? EndedAttempt.Ending.FAILED : EndedAttempt.Ending.DEAD;
      case CANCELLED -> EndedAttempt.Ending.CANCELLED;
      case RELEASED -> EndedAttempt.Ending.RELEASED;
      default -> EndedAttempt.Ending.DEAD;
    };
  }

  private static long waitNanos(Ended ended, EndedAttempt.Ending ending, long epochMicros) {
    ClaimedTask task = ended.outcome().task();
    if (epochMicros == UNKNOWN || task.attempt() != 1 || ending == EndedAttempt.Ending.RELEASED) {
      return -1;
    }
    Instant created = task.createdAt();
    long createdMicros = created.getEpochSecond() * 1_000_000 + created.getNano() / 1_000;
    return Math.max(0, epochMicros + ended.beganAt() / 1_000 - createdMicros) * 1_000;
  }

  /**
   * An attempt as an observer sees it.
   *
   * @param ended its times
   * @param outcome its outcome as written
   */
  private record DefaultEndedAttempt(
      Ended ended, Outcome outcome, EndedAttempt.Ending ending, long waitNanos)
      implements EndedAttempt {

    @Override
    public String tenant() {
      return outcome.task().tenant();
    }

    @Override
    public long task() {
      return outcome.task().id();
    }

    @Override
    public String kind() {
      return outcome.task().kind();
    }

    @Override
    public int attempt() {
      return outcome.task().attempt();
    }

    @Override
    public @Nullable String error() {
      String text = outcome.error();
      return text == null ? null : ErrorText.simpleName(text);
    }

    @Override
    public long runNanos() {
      return ended.nanos();
    }
  }
}
