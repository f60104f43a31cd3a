package dev.rota.benchmarks.load.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ChartStyleTest {

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "0.001, 0.001",
    "0.5, 0.5",
    "100, 100",
    "1000, 1000",
    "10000, 10k",
    "250000, 250k",
    "1200000, 1.2M",
    "99.9, 99.9"
  })
  void numbersAreShort(double number, String text) {
    assertThat(ChartStyle.shortened(number)).isEqualTo(text);
  }
}
