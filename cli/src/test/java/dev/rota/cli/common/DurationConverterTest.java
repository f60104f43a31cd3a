package dev.rota.cli.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class DurationConverterTest {

  @ParameterizedTest
  @CsvSource({"500ms,PT0.5S", "2s,PT2S", "15m,PT15M", "1h,PT1H", "7d,PT168H", "1h30m,PT1H30M"})
  void readsUnits(String text, Duration duration) {
    assertThat(new DurationConverter().convert(text)).isEqualTo(duration);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "2", "2x", "-1s", "1.5h", "s", "99999999999s", "2 s"})
  void refusesEverythingElse(String text) {
    assertThatThrownBy(() -> new DurationConverter().convert(text))
        .isInstanceOf(TypeConversionException.class)
        .hasMessageContaining("'" + text + "' is not a duration");
  }
}
