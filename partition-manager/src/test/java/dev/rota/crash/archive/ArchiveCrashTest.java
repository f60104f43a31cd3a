package dev.rota.crash.archive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.crash.CrashRun;
import dev.rota.crash.CrashTest;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Archivers killed at two hundred steps of archiving, dropping and deleting. */
@CrashTest
class ArchiveCrashTest {

  private static final int MOST_STEPS = 160;

  @TempDir private Path folder;

  @Test
  void eachTaskIsInOnePlaceHoweverArchiversEnd() throws Exception {
    int kills = CrashRun.size(200, 1_000);
    Random random = new Random(CrashRun.seed());
    try (ArchiverDrill drill = new ArchiverDrill(folder)) {
      for (int i = 0; i < kills; i++) {
        drill.killAt(1 + random.nextInt(MOST_STEPS));
      }
      drill.finish();
      Map<String, Object> figures = new LinkedHashMap<>();
      figures.put("kills", kills);
      figures.put("steps", drill.kills());
      CrashRun.record("archive-kills", figures);
      assertThat(drill.kills()).containsKeys("after put", "before drop segment", "after delete");
    }
  }
}
