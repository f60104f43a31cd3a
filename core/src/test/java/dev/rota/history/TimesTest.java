package dev.rota.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.rota.history.HourlyStatistics.Times;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests sums and quantiles of times. */
class TimesTest {

  @Test
  void quantileIsTheBoundOfItsBucket() {
    Times times = new Times(100, Duration.ofSeconds(1), List.of(50L, 45L, 0L, 4L, 1L));
    assertThat(times.quantile(0.5)).contains(Duration.ofMillis(1));
    assertThat(times.quantile(0.51)).contains(Duration.ofMillis(2));
    assertThat(times.quantile(0.95)).contains(Duration.ofMillis(2));
    assertThat(times.quantile(0.99)).contains(Duration.ofMillis(8));
    assertThat(times.quantile(1)).contains(Duration.ofMillis(16));
    assertThat(times.mean()).isEqualTo(Duration.ofMillis(10));
    assertThat(new Times(3, Duration.ZERO, List.of()).quantile(0.5)).isEmpty();
  }

  @Test
  void timesAreAdded() {
    Times one = new Times(3, Duration.ofSeconds(1), List.of(1L, 2L));
    Times other = new Times(4, Duration.ofSeconds(2), List.of(0L, 1L, 3L));
    Times sum = new Times(7, Duration.ofSeconds(3), List.of(1L, 3L, 3L));
    assertThat(one.plus(other)).isEqualTo(sum);
    assertThat(other.plus(one)).isEqualTo(sum);
  }

  @Test
  void partIsChecked() {
    Times none = new Times(0, Duration.ZERO, List.of());
    for (double part : new double[] {0, -1, 1.1, Double.NaN}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> none.quantile(part))
          .withMessageContaining("the part is " + part);
    }
    assertThat(none.mean()).isEqualTo(Duration.ZERO);
  }
}
