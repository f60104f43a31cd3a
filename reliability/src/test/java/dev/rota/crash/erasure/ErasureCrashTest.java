package dev.rota.crash.erasure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.crash.Alone;
import dev.rota.crash.CrashRun;
import dev.rota.crash.CrashTest;
import dev.rota.crash.KillDrill;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills erasers at each step: the receipt is complete, nothing is left, and other tenants continue.
 */
@Alone
@CrashTest
class ErasureCrashTest {

  /** About as many as an erasure has that nothing interrupts. */
  private static final int MOST_STEPS = 120;

  @TempDir private Path folder;

  @Test
  void aReceiptIsWholeHoweverErasersEnd() throws Exception {
    int kills = CrashRun.size(50, 400);
    Random random = new Random(CrashRun.seed());
    try (EraserOperation eraser = new EraserOperation(folder)) {
      KillDrill drill = new KillDrill(eraser);
      List<String> steps = drill.course().names();
      drill.killAtEach(steps);
      assertThat(drill.kills().keySet()).containsExactlyInAnyOrderElementsOf(steps);
      drill.killAtRandom(kills, MOST_STEPS, random);
      drill.finish();
      eraser.finish();
      CrashRun.record("erasure-kills", drill.figures());
      assertThat(steps).hasSizeGreaterThan(15);
    }
  }
}
