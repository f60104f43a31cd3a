package dev.rota.internal.statistics;

import dev.rota.internal.log.Logs;
import dev.rota.internal.schema.AttemptStateCode;
import dev.rota.internal.settle.ClaimedTask.Outcome;
import dev.rota.internal.worker.WorkerCounters.SettleListener;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Sums the outcomes of a worker's attempts by tenant, kind and hour, and writes the sums every few
 * seconds. Thread-safe.
 */
public final class StatisticsRecorder implements SettleListener {

  private static final Logger log = Logs.of(StatisticsRecorder.class);
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** The most sums that are kept while they cannot be written; later attempts are not counted. */
  private static final int MOST_CELLS = 100_000;

  private final ScheduledExecutorService background;
  private final boolean retries;
  private final StatisticsWriter writer;
  private final long epochNanos = System.nanoTime();
  private final Object writing = new Object();

  /** The database's time at {@link #epochNanos}, as known from the last look. */
  private volatile long epochMicros = -1;

  private Map<Key, HourCounter> cells = new HashMap<>();
  private long uncounted;
  private boolean troubled;
  private boolean incomplete;
  private @Nullable Future<?> timer;

  /** The key of a sum. All attempts that ended in one slice of time belong to the same hour. */
  private record Key(int tenant, String kind, long slice) {}

  /**
   * Creates the recorder of one worker.
   *
   * @param retries whether a failed attempt is followed by another one
   */
  public StatisticsRecorder(
      StatisticsWriter writer, ScheduledExecutorService background, boolean retries) {
    this.background = background;
    this.retries = retries;
    this.writer = writer;
  }

  @Override
  public void start() {
    // At once too: it learns the clock of the database then.
    timer =
        background.scheduleWithFixedDelay(this::writeQuietly, 0, PAUSE_NANOS, TimeUnit.NANOSECONDS);
  }

  /** Counts attempts, except those that were handed back. */
  @Override
  public synchronized void settled(Collection<Ended> attempts, UnaryOperator<Outcome> written) {
    long slice = (System.nanoTime() - epochNanos) / PAUSE_NANOS;
    Key lastKey = null;
    HourCounter lastCell = null;
    for (Ended ended : attempts) {
      Outcome outcome = written.apply(ended.outcome());
      if (outcome.state() == AttemptStateCode.RELEASED) {
        continue;
      }
      int tenant = outcome.task().tenantNumber();
      if (lastKey == null
          || lastCell == null
          || lastKey.tenant != tenant
          || !lastKey.kind.equals(outcome.task().kind())) {
        lastKey = new Key(tenant, outcome.task().kind(), slice);
        lastCell = cell(lastKey);
      }
      if (lastCell == null) {
        uncounted++;
      } else {
        lastCell.add(ended, state(outcome), epochNanos, epochMicros);
      }
    }
  }

  /** Writes the remaining sums; those that fail at the second try as well are lost. */
  @Override
  public void close() {
    if (timer != null) {
      timer.cancel(false);
    }
    if (!writeQuietly()) {
      writeQuietly();
    }
    long left = unwritten();
    if (left > 0) {
      log.warn("up to {} attempts are missing in Rota's hourly statistics", left);
    }
  }

  private @Nullable HourCounter cell(Key key) {
    HourCounter cell = cells.get(key);
    if (cell == null && cells.size() < MOST_CELLS) {
      cell = new HourCounter();
      cells.put(key, cell);
    }
    return cell;
  }

  private AttemptStateCode state(Outcome outcome) {
    return outcome.state() == AttemptStateCode.FAILED && !retries
        ? AttemptStateCode.DEAD
        : outcome.state();
  }

  /** Whether nothing is left. */
  private boolean writeQuietly() {
    synchronized (writing) {
      try {
        write();
        troubled = false;
        return writer.unwritten() == 0;
      } catch (RuntimeException | Error e) {
        if (!troubled) {
          log.warn(
              "Rota could not write its hourly statistics, and tries again: {}", e.getMessage());
        }
        troubled = true;
        return false;
      }
    }
  }

  private synchronized long unwritten() {
    return writer.unwritten()
        + writer.leftOut()
        + uncounted
        + cells.values().stream().mapToLong(HourCounter::attempts).sum();
  }

  private void write() {
    if (epochMicros < 0) {
      readClock();
    }
    Map<Key, HourCounter> taken = take();
    if (!taken.isEmpty()) {
      try {
        writer.add(rows(taken));
      } catch (RuntimeException | Error e) {
        putBack(taken);
        throw e;
      }
    }
    tellWhatIsLeftOut();
    writer.write();
  }

  private void tellWhatIsLeftOut() {
    if (!incomplete && writer.leftOut() > 0) {
      incomplete = true;
      log.warn(
          "Rota keeps {} rows of hourly statistics that it could not write, and leaves out further"
              + " ones; find the reason in the warning before this one, and remove it",
          StatisticsWriter.MOST_ROWS);
    }
  }

  /**
   * Converts sums to rows. It reads the database's clock: the difference to the local clock
   * determines hours and waiting times.
   */
  private List<HourKey> rows(Map<Key, HourCounter> taken) {
    readClock();
    List<HourKey> rows = new ArrayList<>(taken.size());
    taken.forEach(
        (key, cell) -> {
          long endedAt = epochMicros + key.slice * PAUSE_NANOS / 1_000;
          int hour = (int) (endedAt / TimeUnit.HOURS.toMicros(1));
          rows.add(cell.row(new HourKey.Key(key.tenant, hour, key.kind), epochMicros));
        });
    return rows;
  }

  private void readClock() {
    epochMicros = writer.clock() - (System.nanoTime() - epochNanos) / 1_000;
  }

  private synchronized Map<Key, HourCounter> take() {
    Map<Key, HourCounter> taken = cells;
    cells = new HashMap<>();
    return taken;
  }

  /**
   * Restores sums. Only {@link #writing} takes sums, and a slice that continues meanwhile has a
   * separate cell.
   */
  private synchronized void putBack(Map<Key, HourCounter> taken) {
    taken.forEach((key, cell) -> cells.merge(key, cell, HourCounter::plus));
  }
}
