package dev.rota.crash.archive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.archive.S3Server;
import dev.rota.crash.CrashRun;
import dev.rota.crash.CrashTest;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
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
    List<String> chosen =
        List.of(
            "before put",
            "half-way through put",
            "after put",
            "after note archived segment",
            "before drop segment",
            "after drop segment",
            "before delete",
            "after delete");
    kill("archive-kills", Place.folder(kept), chosen, CrashRun.size(70, 600), MOST_STEPS);
  }

  @Test
  void eachTaskIsInOnePlaceHoweverArchiversOfABucketEnd() throws Exception {
    List<String> chosen =
        List.of(
            "before UploadPartRequest",
            "after UploadPartRequest",
            "before CompleteMultipartUploadRequest",
            "after CompleteMultipartUploadRequest",
            "before drop segment",
            "after DeleteObjectRequest");
    try (S3Server server = new S3Server(kept)) {
      int kills = CrashRun.size(40, 400);
      kill("archive-kills-bucket", Place.bucket(server), chosen, kills, MOST_REQUESTS);
    }
  }

  /** First at the steps that matter most, then at any. */
  private void kill(String name, Place place, List<String> chosen, int kills, int mostSteps)
      throws Exception {
    Random random = new Random(CrashRun.seed());
    try (ArchiverDrill drill = new ArchiverDrill(place, staging)) {
      for (String step : chosen) {
        drill.killAt(step);
      }
      for (int i = chosen.size(); i < kills; i++) {
        drill.killAt(Integer.toString(1 + random.nextInt(mostSteps)));
      }
      drill.finish();
      Map<String, Object> figures = new LinkedHashMap<>();
      figures.put("kills", kills);
      figures.put("steps", drill.kills());
      CrashRun.record(name, figures);
      assertThat(drill.kills()).containsKeys(chosen.toArray(String[]::new));
    }
  }
}
