package dev.rota.cli.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class SizeConverterTest {

  @ParameterizedTest
  @CsvSource({"0,0", "8192,8192", "64kB,65536", "256MB,268435456", "2GiB,2147483648", "7b,7"})
  void readsUnits(String text, long bytes) {
    assertThat(new SizeConverter().convert(text)).isEqualTo(bytes);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "-1", "1.5GB", "MB", "12TB", "9999999999"})
  void refusesEverythingElse(String text) {
    assertThatThrownBy(() -> new SizeConverter().convert(text))
        .isInstanceOf(TypeConversionException.class)
        .hasMessageContaining("'" + text + "' is not a size");
  }
}
