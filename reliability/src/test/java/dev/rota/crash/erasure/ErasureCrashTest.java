package dev.rota.crash.erasure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.crash.CrashRun;
import dev.rota.crash.CrashTest;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills erasers at each step: the receipt is complete, nothing is left, and other tenants continue.
 */
@CrashTest
class ErasureCrashTest {

  /** About as many as an erasure has that nothing interrupts. */
  private static final int MOST_STEPS = 120;

  @TempDir private Path folder;

  @Test
  void aReceiptIsWholeHoweverErasersEnd() throws Exception {
    int kills = CrashRun.size(50, 400);
    Random random = new Random(CrashRun.seed());
    try (EraserDrill drill = new EraserDrill(folder)) {
      List<String> listed = drill.list();
      drill.killAtEach(listed);
      assertThat(drill.kills().keySet()).containsExactlyInAnyOrderElementsOf(listed);
      while (drill.killed() < kills) {
        drill.eraseOne(() -> Integer.toString(1 + random.nextInt(MOST_STEPS)));
      }
      drill.finish();
      Map<String, Object> figures = new LinkedHashMap<>();
      figures.put("kills", drill.killed());
      figures.put("distinctSteps", listed.size());
      figures.put("steps", drill.kills());
      CrashRun.record("erasure-kills", figures);
      assertThat(listed).hasSizeGreaterThan(15);
    }
  }
}
