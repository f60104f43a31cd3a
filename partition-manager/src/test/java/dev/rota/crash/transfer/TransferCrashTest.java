package dev.rota.crash.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.crash.CrashRun;
import dev.rota.crash.CrashTest;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Exports and imports killed at sixty of their steps: the next call does the rest. */
@CrashTest
class TransferCrashTest {

  @TempDir private Path folder;

  @Test
  void aTenantArrivesWholeHoweverItsMoveEnds() throws Exception {
    int kills = CrashRun.size(64, 400);
    try (TransferDrill drill = new TransferDrill(folder)) {
      drill.kill(kills, new Random(CrashRun.seed()));
      drill.finish();
      Map<String, Object> figures = new LinkedHashMap<>();
      figures.put("kills", kills);
      figures.put("steps", drill.kills());
      CrashRun.record("transfer-kills", figures);
      assertThat(drill.kills().values().stream().mapToInt(Integer::intValue).sum())
          .isEqualTo(kills);
    }
  }
}
