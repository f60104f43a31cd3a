package dev.rota;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Ends a JVM in which no test begins or ends for longer than any may take, and shows its threads.
 * The time limits of JUnit only interrupt, which a thread can ignore, and leave extensions alone.
 */
public final class HangWatch implements TestExecutionListener {

  /** The system property for the limit in minutes; without it, there is no limit. */
  static final String LIMIT = "rota.test.hang";

  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final Duration limit;
  private final LongSupplier nanoTime;
  private final Consumer<String> onHang;
  private final AtomicLong lastEventAt;
  private volatile String lastEvent = "the JVM has started";
  private volatile boolean ended;

  /** Called by JUnit. */
  public HangWatch() {
    this(Duration.ofMinutes(Long.getLong(LIMIT, 0)), System::nanoTime, HangWatch::end);
  }

  HangWatch(Duration limit, LongSupplier nanoTime, Consumer<String> onHang) {
    this.limit = limit;
    this.nanoTime = nanoTime;
    this.onHang = onHang;
    this.lastEventAt = new AtomicLong(nanoTime.getAsLong());
  }

  @Override
  public void testPlanExecutionStarted(TestPlan plan) {
    if (!limit.isZero()) {
      Thread thread = new Thread(this::watch, "hang-watch");
      thread.setDaemon(true);
      thread.start();
    }
  }

  @Override
  public void testPlanExecutionFinished(TestPlan plan) {
    ended = true;
  }

  @Override
  public void executionStarted(TestIdentifier test) {
    happened("started", test);
  }

  @Override
  public void executionFinished(TestIdentifier test, TestExecutionResult result) {
    happened("finished", test);
  }

  private void happened(String event, TestIdentifier test) {
    lastEvent = event + ": " + test.getUniqueId();
    lastEventAt.set(nanoTime.getAsLong());
  }

  private void watch() {
    while (!ended) {
      LockSupport.parkNanos(LOOK_NANOS);
      look();
    }
  }

  /** Reports a hang if the last event is older than the limit. */
  void look() {
    if (!ended && nanoTime.getAsLong() - lastEventAt.get() > limit.toNanos()) {
      onHang.accept(
          "no test began or ended for %d minutes; the last event was %s%n%s"
              .formatted(limit.toMinutes(), lastEvent, threads()));
    }
  }

  private static String threads() {
    StringBuilder text = new StringBuilder();
    for (Map.Entry<Thread, StackTraceElement[]> each : Thread.getAllStackTraces().entrySet()) {
      text.append(each.getKey()).append(' ').append(each.getKey().getState()).append('\n');
      for (StackTraceElement frame : each.getValue()) {
        text.append("    at ").append(frame).append('\n');
      }
    }
    return text.toString();
  }

  private static void end(String report) {
    System.err.println(report);
    System.err.flush();
    // The build reads that from a pipe.
    LockSupport.parkNanos(LOOK_NANOS);
    Runtime.getRuntime().halt(1);
  }
}
