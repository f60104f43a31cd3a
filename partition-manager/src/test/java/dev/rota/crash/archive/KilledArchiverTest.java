package dev.rota.crash.archive;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An archiver that is killed leaves nothing that the next one does not put right. */
@Tag("long")
class KilledArchiverTest {

  @TempDir private Path folder;

  @Test
  void eachTaskIsInOnePlaceHoweverArchiversEnd() throws Exception {
    try (ArchiverDrill drill = new ArchiverDrill(folder)) {
      for (int step : new int[] {25, 45, 70, 100}) {
        drill.killAt(step);
      }
      drill.finish();
      assertThat(drill.kills().values().stream().mapToInt(Integer::intValue).sum()).isEqualTo(4);
    }
  }
}
