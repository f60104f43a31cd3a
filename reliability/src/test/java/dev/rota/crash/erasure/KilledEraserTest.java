package dev.rota.crash.erasure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.crash.Steps;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the next eraser repairs everything that a killed one has left. */
class KilledEraserTest {

  @TempDir private Path folder;

  @Test
  void aReceiptIsWholeHoweverErasersEnd() throws Exception {
    try (EraserDrill drill = new EraserDrill(folder)) {
      Iterator<String> steps = List.of("30", "60", "40", Steps.NONE).iterator();
      drill.eraseOne(steps::next);
      drill.finish();
      assertThat(drill.killed()).isEqualTo(3);
    }
  }
}
