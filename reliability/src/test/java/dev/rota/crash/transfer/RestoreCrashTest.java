package dev.rota.crash.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.crash.Alone;
import dev.rota.crash.CrashRun;
import dev.rota.crash.CrashTest;
import dev.rota.crash.KillDrill;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kills restores at each of their moments: the next call does the rest. */
@Alone
@CrashTest
class RestoreCrashTest {

  @TempDir private Path folder;

  @Test
  void aHistoryComesBackHoweverItsRestoreEnds() throws Exception {
    try (RestoreOperation restore = new RestoreOperation(folder)) {
      KillDrill drill = new KillDrill(restore);
      List<String> moments = drill.course().moments();
      drill.killAtEach(moments);
      CrashRun.record("restore-kills", drill.figures());
      assertThat(drill.kills().keySet()).containsExactlyInAnyOrderElementsOf(moments);
    }
  }
}
