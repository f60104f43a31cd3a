package dev.rota.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LatenciesTest {

  private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

  /** Near where the counter of nanoseconds turns over. */
  private static final long FROM = Long.MAX_VALUE - 50 * MILLI;

  private final Latencies latencies =
      new Latencies(new Timeline(FROM - 100 * MILLI, FROM, FROM + 100 * MILLI));

  @Test
  void onlyWhatArrivedInTheWindowCounts() {
    latencies.record(FROM - 1, FROM + 1, 1);
    latencies.record(FROM, FROM + MILLI, 1);
    latencies.record(FROM + 99 * MILLI, FROM + 500 * MILLI, 2);
    latencies.record(FROM + 100 * MILLI, FROM + 101 * MILLI, 1);
    LatencySummary total = LatencySummary.of(latencies.total());
    assertThat(total.tasks()).isEqualTo(3);
    assertThat(total.max()).isBetween(400.0, 402.0);
  }

  @Test
  void intervalsAddUp() {
    latencies.record(FROM, FROM + MILLI, 1);
    assertThat(latencies.interval().tasks()).isEqualTo(1);
    assertThat(latencies.interval().tasks()).isZero();
    latencies.record(FROM, FROM + 3 * MILLI, 4);
    assertThat(latencies.interval().p50()).isBetween(2.9, 3.1);
    assertThat(latencies.total().getTotalCount()).isEqualTo(5);
  }

  @Test
  void absurdWaitsAreClippedNotRefused() {
    latencies.record(FROM, FROM + TimeUnit.DAYS.toNanos(1), 1);
    latencies.record(FROM + MILLI, FROM, 1);
    assertThat(latencies.total().getTotalCount()).isEqualTo(2);
  }
}
