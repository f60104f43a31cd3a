package dev.rota.crash.erasure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.crash.KillDrill;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the next eraser repairs everything that a killed one has left. */
@Tag("exhaustive")
class KilledEraserTest {

  @TempDir private Path folder;

  @Test
  void aReceiptIsWholeHoweverErasersEnd() throws Exception {
    try (EraserOperation eraser = new EraserOperation(folder)) {
      KillDrill drill = new KillDrill(eraser);
      for (String step : List.of("30", "60", "40")) {
        drill.killAt(step);
      }
      drill.finish();
      eraser.finish();
      assertThat(drill.killed()).isEqualTo(3);
    }
  }
}
