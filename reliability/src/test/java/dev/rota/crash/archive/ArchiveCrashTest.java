package dev.rota.crash.archive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.archive.S3Server;
import dev.rota.crash.Alone;
import dev.rota.crash.CrashRun;
import dev.rota.crash.CrashTest;
import dev.rota.crash.KillDrill;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kills archivers at each step of archiving, dropping and deleting, and then at random ones. */
@Alone
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
    try (ArchiverOperation archiver = new ArchiverOperation(place, staging)) {
      KillDrill drill = new KillDrill(archiver);
      List<String> steps = drill.course().names().stream().filter(wanted).toList();
      drill.killAtEach(steps);
      assertThat(drill.kills().keySet())
          .containsExactlyInAnyOrderElementsOf(steps)
          .hasSizeGreaterThan(10);
      drill.killAtRandom(leastKills, mostSteps, new Random(CrashRun.seed()));
      drill.finish();
      CrashRun.record(name, drill.figures());
    }
  }
}
