package dev.rota.crash.archive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.archive.S3Server;
import dev.rota.crash.CrashRun;
import dev.rota.crash.CrashTest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kills archivers at each step of archiving, dropping and deleting, and then at random ones. */
@CrashTest
class ArchiveCrashTest {

  private static final int MOST_STEPS = 160;
  private static final int MOST_REQUESTS = 220;

  @TempDir private Path kept;
  @TempDir private Path staging;

  @Test
  void eachTaskIsInOnePlaceHoweverArchiversEnd() throws Exception {
    kill("archive-kills", Place.folder(kept), step -> true, CrashRun.size(70, 600), MOST_STEPS);
  }

  /** The steps between the requests are those with a folder. */
  @Test
  void eachTaskIsInOnePlaceHoweverArchiversOfABucketEnd() throws Exception {
    try (S3Server server = new S3Server(kept)) {
      kill(
          "archive-kills-bucket",
          Place.bucket(server),
          step -> step.endsWith("Request"),
          CrashRun.size(40, 400),
          MOST_REQUESTS);
    }
  }

  /** First at each step that is wanted, then at any. */
  private void kill(
      String name, Place place, Predicate<String> wanted, int leastKills, int mostSteps)
      throws Exception {
    Random random = new Random(CrashRun.seed());
    try (ArchiverDrill drill = new ArchiverDrill(place, staging)) {
      List<String> listed = drill.list().stream().filter(wanted).toList();
      List<String> struck = new ArrayList<>();
      for (String step : listed) {
        struck.add(drill.killAt(step));
      }
      assertThat(struck).isEqualTo(listed).hasSizeGreaterThan(10);
      int kills = Math.max(leastKills, listed.size());
      for (int i = listed.size(); i < kills; i++) {
        String unused = drill.killAt(Integer.toString(1 + random.nextInt(mostSteps)));
      }
      drill.finish();
      Map<String, Object> figures = new LinkedHashMap<>();
      figures.put("kills", kills);
      figures.put("distinctSteps", listed.size());
      figures.put("steps", drill.kills());
      CrashRun.record(name, figures);
    }
  }
}
