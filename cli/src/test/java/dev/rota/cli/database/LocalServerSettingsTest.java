package dev.rota.cli.database;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LocalServerSettingsTest {

  @ParameterizedTest
  @CsvSource({
    "536870912, 1000000000, 128MB, 512MB",
    "8589934592, 10737418240, 1024MB, 2560MB",
    "274877906944, 4398046511104, 2048MB, 8192MB",
  })
  void followTheMachineWithinBounds(long memory, long disk, String buffers, String wal) {
    assertThat(new LocalServerSettings(memory, disk).toMap())
        .containsEntry("shared_buffers", buffers)
        .containsEntry("max_wal_size", wal);
  }

  @Test
  void passThroughAShellUnharmed() {
    assertThat(new LocalServerSettings(1, 1).toMap().values()).allMatch(v -> v.matches("[\\w.]*"));
  }
}
