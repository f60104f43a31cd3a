package dev.rota.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class TenantPickerTest {

  private static final int DRAWN = 100_000;

  @Test
  void withoutSkewAllHaveTheSameShare() {
    for (int count : drawn(10, 0)) {
      assertThat(count).isBetween(9_500, 10_500);
    }
  }

  @Test
  void withSkewOneTheFirstHasTwiceTheSecondsShare() {
    int[] counts = drawn(1_000, 1);
    assertThat(counts[0] / (double) counts[1]).isBetween(1.9, 2.1);
    assertThat(counts[0] / (double) counts[9]).isBetween(9.0, 11.0);
  }

  @Test
  void oneTenantGetsAll() {
    assertThat(drawn(1, 2)).containsExactly(DRAWN);
  }

  private static int[] drawn(int tenants, double skew) {
    TenantPicker picker = new TenantPicker(tenants, skew);
    SplittableRandom random = new SplittableRandom(1);
    int[] counts = new int[tenants];
    for (int i = 0; i < DRAWN; i++) {
      counts[picker.pick(random)]++;
    }
    return counts;
  }
}
