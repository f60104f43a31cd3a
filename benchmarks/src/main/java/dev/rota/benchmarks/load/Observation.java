package dev.rota.benchmarks.load;

import dev.rota.Worker;
import dev.rota.benchmarks.load.LoadResult.Rates;
import dev.rota.daemon.RotationDaemon;
import dev.rota.demo.StallDetector;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Watches a run until its end and until all tasks are settled. Used by one thread. */
final class Observation {

  /** The number of samples: enough for a smooth curve; more would not be visible. */
  private static final int SAMPLES = 240;

  private static final long LEAST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** The pause between polls of the drain, whose length is measured to the moment. */
  private static final long DRAIN_LOOK_MILLIS = 5;

  private final LoadFlow flow;
  private final Producers producers;
  private final Worker worker;
  private final RotationDaemon daemon;
  private final LoadProgress progress;
  private final List<Sample> samples = new ArrayList<>();

  Observation(
      LoadFlow flow,
      Producers producers,
      Worker worker,
      RotationDaemon daemon,
      LoadProgress progress) {
    this.flow = flow;
    this.producers = producers;
    this.worker = worker;
    this.daemon = daemon;
    this.progress = progress;
  }

  List<Sample> samples() {
    return List.copyOf(samples);
  }

  long settled() {
    return worker.statistics().done();
  }

  /** Returns when all tasks are settled, or nothing has moved for the given time. */
  Rates finish(Duration patience) throws InterruptedException {
    Timeline timeline = flow.timeline();
    Sample start = sampleUntil(timeline.start(), timeline.from());
    Sample end = sampleUntil(timeline.from(), timeline.end());
    double drained = drain(patience);
    return new Rates(
        end.enqueuedPerSecondSince(start),
        end.settledPerSecondSince(start),
        end.counts().backlog(),
        drained - end.seconds());
  }

  private Sample sampleUntil(long from, long end) throws InterruptedException {
    long interval = interval();
    for (long next = from + interval; next - end < 0; next += interval) {
      ProcessClock.SYSTEM.waitUntil(next);
      sample();
    }
    ProcessClock.SYSTEM.waitUntil(end);
    return sample();
  }

  private long interval() {
    Timeline timeline = flow.timeline();
    long whole = (timeline.end() - timeline.start()) / SAMPLES;
    return Math.max(LEAST_NANOS, Math.min(MOST_NANOS, whole));
  }

  /** Waits for the end of the drain; returns its time, in seconds since the start. */
  private double drain(Duration patience) throws InterruptedException {
    StallDetector stall = new StallDetector(patience);
    long next = System.nanoTime() + interval();
    while (!isDrained() && !stall.stalled()) {
      stall.observe(flow.accounting().enqueued() + flow.accounting().handled() + settled());
      Thread.sleep(DRAIN_LOOK_MILLIS);
      if (System.nanoTime() - next >= 0) {
        sample();
        next += interval();
      }
    }
    if (stall.stalled()) {
      progress.warn("nothing has moved for " + patience.toSeconds() + " s: the drain is given up");
    }
    return flow.timeline().secondsAt(System.nanoTime());
  }

  /** Whether all tasks are settled; a task that was handled twice is settled twice. */
  private boolean isDrained() {
    Accounting accounting = flow.accounting();
    return producers.finished()
        && accounting.backlog() == 0
        && settled() >= accounting.handled() + accounting.duplicated();
  }

  private Sample sample() {
    producers.throwFailure();
    Timeline timeline = flow.timeline();
    Sample sample =
        new Sample(timeline.secondsAt(System.nanoTime()), counts(), flow.latencies().interval());
    samples.add(sample);
    progress.update(sample, timeline.secondsAt(timeline.end()));
    return sample;
  }

  private Sample.Counts counts() {
    Accounting accounting = flow.accounting();
    return new Sample.Counts(
        accounting.enqueued(), settled(), accounting.backlog(), daemon.statistics().rotations());
  }
}
