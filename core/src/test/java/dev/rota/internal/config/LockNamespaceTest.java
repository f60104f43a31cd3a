package dev.rota.internal.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class LockNamespaceTest {

  private static final int SETTING = 0x726F7461;

  /** Processes of different versions must take the same key: 0xA8936DC5 is the CRC-32 of "jobs". */
  @Test
  void keysAreTheSameInAllVersions() {
    assertThat(LockNamespace.of(SETTING, "rota")).isEqualTo(SETTING);
    assertThat(LockNamespace.of(SETTING, "jobs")).isEqualTo(SETTING + 0xA8936DC5);
  }

  @Test
  void schemasWithTheSameSettingShareNoKey() {
    List<Integer> keys =
        Stream.of("rota", "rota2", "jobs", "other_jobs", "a", "b", "ab", "ba", "x".repeat(40))
            .map(schema -> LockNamespace.of(SETTING, schema))
            .toList();
    assertThat(keys).doesNotHaveDuplicates();
  }
}
