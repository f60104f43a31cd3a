package dev.rota.crash.archive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.archive.S3Server;
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
  private static final int MOST_REQUESTS = 220;

  @TempDir private Path kept;
  @TempDir private Path staging;

  @Test
  void eachTaskIsInOnePlaceHoweverArchiversEnd() throws Exception {
    assertThat(kill("archive-kills", Place.folder(kept), CrashRun.size(120, 600), MOST_STEPS))
        .containsKeys("after put", "before drop segment", "after delete");
  }

  @Test
  void eachTaskIsInOnePlaceHoweverArchiversOfABucketEnd() throws Exception {
    try (S3Server server = new S3Server(kept)) {
      int kills = CrashRun.size(80, 400);
      assertThat(kill("archive-kills-bucket", Place.bucket(server), kills, MOST_REQUESTS))
          .containsKeys("after UploadPartRequest", "before drop segment");
    }
  }

  private Map<String, Integer> kill(String name, Place place, int kills, int mostSteps)
      throws Exception {
    Random random = new Random(CrashRun.seed());
    try (ArchiverDrill drill = new ArchiverDrill(place, staging)) {
      for (int i = 0; i < kills; i++) {
        drill.killAt(1 + random.nextInt(mostSteps));
      }
      drill.finish();
      Map<String, Object> figures = new LinkedHashMap<>();
      figures.put("kills", kills);
      figures.put("steps", drill.kills());
      CrashRun.record(name, figures);
      return drill.kills();
    }
  }
}
