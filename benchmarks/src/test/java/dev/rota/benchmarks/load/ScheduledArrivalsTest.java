package dev.rota.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ScheduledArrivalsTest {

  private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long START = 5_000;
  private static final Timeline SECOND = new Timeline(START, START, START + 1_000 * MILLI);

  private final ManualTime time = new ManualTime(0);
  private final ScheduledArrivals pace = new ScheduledArrivals(SECOND, 100, time);
  private final Latencies latencies = new Latencies(SECOND);

  @Test
  void callsComeAtFixedMoments() throws InterruptedException {
    List<Long> due = new ArrayList<>();
    for (long moment = pace.await(); !SECOND.isOver(moment); moment = pace.await()) {
      assertThat(time.nanos()).isEqualTo(moment);
      due.add(moment);
    }
    assertThat(due)
        .hasSize(100)
        .startsWith(START, START + 10 * MILLI)
        .endsWith(START + 990 * MILLI);
    assertThat(pace.countUnsent(moment -> {})).isZero();
  }

  /** Without the correction only the one call that stalled would look slow. */
  @Test
  void stalledProducerShowsInTheLatencyOfAllCallsItHeldUp() throws InterruptedException {
    call(0);
    call(500 * MILLI);
    for (int i = 2; i < 100; i++) {
      call(0);
    }
    LatencySummary summary = LatencySummary.of(latencies.total());
    assertThat(summary.tasks()).isEqualTo(100);
    assertThat(summary.max()).isBetween(499.0, 501.0);
    // The 49 calls that came due within the stall waited 490, 480, ... ms for its end.
    assertThat(latencies.total().getCountBetweenValues(5 * MILLI, 600 * MILLI)).isEqualTo(50);
    assertThat(summary.p99()).isBetween(485.0, 495.0);
  }

  @Test
  void stalledHandlerShowsToo() {
    for (int i = 0; i < 10; i++) {
      latencies.record(START + i * 10 * MILLI, START + 2_000 * MILLI, 1);
    }
    assertThat(LatencySummary.of(latencies.total()).p50()).isBetween(1_900.0, 2_001.0);
  }

  @Test
  void callsThatNobodyGotRoundToAreCounted() throws InterruptedException {
    call(0);
    call(5_000 * MILLI);
    assertThat(SECOND.isOver(pace.await())).isTrue();
    List<Long> unsent = new ArrayList<>();
    assertThat(pace.countUnsent(unsent::add)).isEqualTo(98);
    assertThat(unsent).startsWith(START + 20 * MILLI).endsWith(START + 990 * MILLI);
  }

  /** An enqueue that takes so long, and is handled at once. */
  private void call(long enqueueing) throws InterruptedException {
    long due = pace.await();
    time.pass(enqueueing);
    latencies.record(due, time.nanos(), 1);
  }
}
