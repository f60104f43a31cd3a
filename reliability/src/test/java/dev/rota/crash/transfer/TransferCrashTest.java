package dev.rota.crash.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.crash.CrashRun;
import dev.rota.crash.CrashTest;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kills exports and imports at each of their moments: the next call does the rest. */
@CrashTest
class TransferCrashTest {

  @TempDir private Path folder;

  @Test
  void aTenantArrivesWholeHoweverItsMoveEnds() throws Exception {
    try (TransferDrill drill = new TransferDrill(folder)) {
      Set<String> listed = drill.kill(CrashRun.size(64, 400), new Random(CrashRun.seed()));
      drill.finish();
      int kills = drill.kills().values().stream().mapToInt(Integer::intValue).sum();
      Map<String, Object> figures = new LinkedHashMap<>();
      figures.put("kills", kills);
      figures.put("distinctMoments", listed.size());
      figures.put("steps", drill.kills());
      CrashRun.record("transfer-kills", figures);
      assertThat(drill.kills().keySet()).containsAll(listed);
      assertThat(listed).hasSizeGreaterThan(80);
    }
  }
}
