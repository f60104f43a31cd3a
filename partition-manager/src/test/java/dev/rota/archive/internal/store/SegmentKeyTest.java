package dev.rota.archive.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that keys identify their segment, and that other names are not taken for keys. */
class SegmentKeyTest {

  private static final String TEXT = "tenant=7/hour=2030-01-31T08Z/seq=42.parquet";

  @Test
  void itIsReadAsItWasWritten() {
    SegmentKey key = SegmentKey.of(7, Instant.parse("2030-01-31T08:59:59.999999Z"), 42);
    assertThat(key.text()).isEqualTo(TEXT);
    assertThat(SegmentKey.parse(TEXT)).contains(key);
    assertThat(key.hour()).isEqualTo("2030-01-31T08:00:00Z");
  }

  @Test
  void keysBeginWithTheTenant() {
    assertThat(TEXT).startsWith(SegmentKey.prefix()).startsWith(SegmentKey.prefix(7));
    assertThat(SegmentKey.prefix(70)).doesNotStartWith(SegmentKey.prefix(7));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "_rota_owner",
        "tenant=7/notes.txt",
        "tenant=7/hour=2030-01-31T08Z/seq=42.parquet.part",
        "tenant=7/hour=2030-01-31T08Z/other/seq=42.parquet",
        "tenant=07/hour=2030-01-31T08Z/seq=42.parquet",
        "tenant=7/hour=2030-01-31T08Z/seq=042.parquet",
        "tenant=7/hour=2030-02-30T08Z/seq=42.parquet",
        "tenant=7/hour=2030-01-31T24Z/seq=42.parquet",
        "tenant=7/hour=2030-01-31T08+00/seq=42.parquet",
        "tenant=7/hour=2030-01-31T08+02/seq=42.parquet",
        "tenant=7/hour=x/seq=42.parquet",
        "tenant=9999999999/hour=2030-01-31T08Z/seq=42.parquet"
      })
  void othersAreNone(String key) {
    assertThat(SegmentKey.parse(key)).isEmpty();
  }
}
