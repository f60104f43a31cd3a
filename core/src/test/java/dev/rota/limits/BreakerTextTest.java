package dev.rota.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the settings of breakers, and their text. */
class BreakerTextTest {

  private static final String USUAL = "0.5 of 20 within 1m pause 30s probes 3";

  @Test
  void itsTextIsParsed() {
    Breaker breaker =
        Breaker.at(0.25)
            .of(100)
            .within(Duration.ofHours(2))
            .pauseFor(Duration.ofMillis(1_500))
            .probes(7);
    assertThat(breaker).hasToString("0.25 of 100 within 2h pause 1500ms probes 7");
    assertThat(Breaker.parse(breaker.toString())).isEqualTo(breaker).hasSameHashCodeAs(breaker);
    assertThat(Breaker.parse("0.5")).isEqualTo(Breaker.at(0.5)).hasToString(USUAL);
    assertThat(Breaker.parse("1 probes 2")).hasToString("1 of 20 within 1m pause 30s probes 2");
    assertThat(Breaker.at(1.0 / 3)).hasToString("0.333333 of 20 within 1m pause 30s probes 3");
    assertThat(breaker).isNotEqualTo(breaker.probes(8));
  }

  @Test
  void partsOfAMillisecondAreDropped() {
    assertThat(Breaker.at(1).within(Duration.ofNanos(2_999_999)).window())
        .isEqualTo(Duration.ofMillis(2));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "half", "50%", "0.5 of", "0.5 of 20 pause 30", "0.5  of 20", "0.5 for 1d"})
  void otherTextsAreRefused(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Breaker.parse(text))
        .withMessageContaining("such as \"" + USUAL + "\"");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0",
        "0.0001",
        "2",
        "0.5 of 0",
        "0.5 of 1000000",
        "0.5 within 0s",
        "0.5 pause 10000h",
        "0.5 probes 0",
        "0.5 probes 1000"
      })
  void valuesOutOfRangeAreRefused(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Breaker.parse(text))
        .withMessageContaining("of a breaker is")
        .withMessageContaining("it must be");
  }

  @Test
  void aRateThatIsNoNumberIsRefused() {
    assertThatIllegalArgumentException().isThrownBy(() -> Breaker.at(Double.NaN));
  }
}
