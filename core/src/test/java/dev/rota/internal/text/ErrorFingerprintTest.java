package dev.rota.internal.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests which errors are one. */
class ErrorFingerprintTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "a.B: Connect to 10.0.0.7:25 timed out after 3001 ms"
            + " | a.B: Connect to #:# timed out after # ms",
        "a.Http2Exception: stream 15 | a.Http2Exception: stream #",
        "a.B: no row 'x y' in \"t\" | a.B: no row # in #",
        "a.B: can't send to 'x' | a.B: can't send to #",
        "a.B: order 0b0e3f8c-4a1d-4a52-9a51-2f0c2f5f8a11 | a.B: order #",
        "a.B: user jo.doe+1@example.com | a.B: user #",
        "a.B: GET https://example.com/a?b=c failed | a.B: GET # failed",
        "a.B: token deadbeef01 at 0x1F | a.B: token # at #",
        "a.B: facade of deadbeef | a.B: facade of deadbeef",
        "503 from server 2 | # from server #",
        "a.B | a.B"
      })
  void valuesStayOut(String error, String text) {
    assertThat(ErrorFingerprint.of(error).text()).isEqualTo(text);
  }

  @Test
  void firstLineCounts() {
    assertThat(ErrorFingerprint.of("a.B: x 1\ncaused by c.D: y"))
        .isEqualTo(ErrorFingerprint.of("a.B: x 2"))
        .isNotEqualTo(ErrorFingerprint.of("a.B: y 1"));
    assertThat(ErrorFingerprint.of("x".repeat(5_000)).text()).hasSize(300);
  }
}
