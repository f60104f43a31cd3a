package dev.rota.crash.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.crash.CrashRun;
import dev.rota.crash.CrashTest;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kills restores at each of their moments: the next call does the rest. */
@CrashTest
class RestoreCrashTest {

  @TempDir private Path folder;

  @Test
  void aHistoryComesBackHoweverItsRestoreEnds() throws Exception {
    try (RestoreDrill drill = new RestoreDrill(folder)) {
      List<String> steps = drill.killAtEach();
      Map<String, Object> figures = new LinkedHashMap<>();
      figures.put("kills", steps.size());
      figures.put("steps", drill.kills());
      CrashRun.record("restore-kills", figures);
      assertThat(drill.kills().keySet()).containsExactlyInAnyOrderElementsOf(steps);
    }
  }
}
