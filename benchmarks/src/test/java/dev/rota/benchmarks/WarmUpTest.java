package dev.rota.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class WarmUpTest {

  private final AtomicLong time = new AtomicLong();
  private final List<String> parts = new ArrayList<>();

  @Test
  void repeatsShotsUntilTheirMeasuredPartsHaveLastedSoLong() throws Exception {
    warmUp(10);
    assertThat(parts).containsExactly("fill", "drain", "fill", "drain", "fill", "drain");
  }

  @Test
  void zeroSecondsAreNoShot() throws Exception {
    warmUp(0);
    assertThat(parts).isEmpty();
  }

  private void warmUp(int seconds) throws Exception {
    WarmUp.repeat(seconds, () -> pass("fill", 100), () -> pass("drain", 4), time::get);
  }

  private void pass(String part, int seconds) {
    parts.add(part);
    time.addAndGet(Duration.ofSeconds(seconds).toNanos());
  }
}
