package dev.rota.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PayloadsTest {

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 123_456_789_012_345L, Long.MAX_VALUE, -1, Long.MIN_VALUE})
  void carriesTheMomentAndKeepsItsSize(long moment) {
    for (int bytes : new int[] {Payloads.LEAST_BYTES, 64, 1_024}) {
      String payload = new Payloads(bytes).since(moment);
      assertThat(payload).hasSize(bytes);
      assertThat(Payloads.moment(payload)).isEqualTo(moment);
    }
  }
}
