package dev.rota.crash.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.crash.CrashRun;
import dev.rota.crash.CrashTest;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Restores killed at steps from their first to their last: the next call does the rest. */
@CrashTest
class RestoreCrashTest {

  @TempDir private Path folder;

  @Test
  void aHistoryComesBackHoweverItsRestoreEnds() throws Exception {
    int kills = CrashRun.size(12, 80);
    try (RestoreDrill drill = new RestoreDrill(folder)) {
      drill.kill(kills);
      Map<String, Object> figures = new LinkedHashMap<>();
      figures.put("kills", kills);
      figures.put("steps", drill.kills());
      CrashRun.record("restore-kills", figures);
      assertThat(drill.kills().values().stream().mapToInt(Integer::intValue).sum())
          .isEqualTo(kills);
    }
  }
}
