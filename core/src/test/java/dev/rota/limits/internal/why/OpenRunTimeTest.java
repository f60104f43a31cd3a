package dev.rota.limits.internal.why;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.rota.limits.internal.why.OpenRunTime.OpenBatch;
import dev.rota.limits.internal.why.OpenRunTime.Pace;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests estimates of the run time of open batches in a window of one second. */
class OpenRunTimeTest {

  private static final long SECOND = 1_000_000;
  private static final long NOW = 100 * SECOND;
  private static final double UNKNOWN = -1;

  /** A batch that waits behind another one uses no handler. */
  @Test
  void batchesGoOnAsFastAsThoseThatEnded() {
    Pace pace = new Pace(3, ago(400_000), ago(2 * SECOND));
    runs(1.2, pace, batch(300, SECOND, UNKNOWN), batch(300, SECOND / 10, 0.5 * SECOND));
    runs(0.3, pace, batch(300, SECOND / 10, UNKNOWN));
  }

  @Test
  void noBatchEndedWithinTheWindow() {
    runs(0.9, new Pace(0.9, ago(5 * SECOND), ago(9 * SECOND)), batch(400, 6 * SECOND, UNKNOWN));
  }

  @Test
  void aTaskUsesOneHandlerAtMost() {
    Pace burst = new Pace(1_000, ago(SECOND / 2), ago(60 * SECOND));
    runs(1.0, burst, batch(2, 10 * SECOND, UNKNOWN));
    runs(0.0, new Pace(3, ago(0), ago(SECOND)), batch(5, 0, UNKNOWN));
  }

  @Test
  void aBatchThatOthersOvertookHasLongTasks() {
    Pace pace = new Pace(2, ago(SECOND / 2), ago(SECOND));
    runs(0.25, pace, batch(10, 20 * SECOND, SECOND / 2));
    runs(1.25, pace, batch(10, 20 * SECOND, SECOND / 2), batch(10, SECOND / 2, SECOND / 2));
  }

  @Test
  void withoutAnEndTheMeanBoundsTheFirstBatchThatHasNotBegunWhole() {
    runs(0.5, null, batch(500, 100 * SECOND, SECOND / 10), batch(500, 50 * SECOND, SECOND / 10));
    runs(2.5, null, batch(2, SECOND, SECOND), batch(500, 100 * SECOND, SECOND / 10));
  }

  @Test
  void withoutAMeanLongTasksAllRun() {
    runs(1, null, batch(3, 14 * SECOND, UNKNOWN), batch(3, 14 * SECOND, UNKNOWN));
    runs(6, null, batch(3, 16 * SECOND, UNKNOWN), batch(3, 16 * SECOND, UNKNOWN));
    runs(2, null, batch(1, 14 * SECOND, UNKNOWN), batch(1, 14 * SECOND, UNKNOWN));
  }

  private static OpenBatch batch(int tasks, long age, double mean) {
    return new OpenBatch(tasks, ago(age), mean);
  }

  private static long ago(long micros) {
    return NOW - micros;
  }

  private static void runs(double seconds, @Nullable Pace pace, OpenBatch... batches) {
    double found = new OpenRunTime(pace, NOW - SECOND, NOW).of(List.of(batches));
    assertThat(found / SECOND).isCloseTo(seconds, within(1e-9));
  }
}
