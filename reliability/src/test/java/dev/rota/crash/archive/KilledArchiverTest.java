package dev.rota.crash.archive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.archive.S3Server;
import dev.rota.crash.KillDrill;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the next archiver repairs everything that a killed one has left. */
@Tag("long")
class KilledArchiverTest {

  @TempDir private Path kept;
  @TempDir private Path staging;

  @Test
  void eachTaskIsInOnePlaceHoweverArchiversEnd() throws Exception {
    kill(Place.folder(kept), 25, 45, 70, 100);
  }

  @Test
  void orInABucket() throws Exception {
    try (S3Server server = new S3Server(kept)) {
      kill(Place.bucket(server), 30, 55, 80, 110);
    }
  }

  private void kill(Place place, int... steps) throws Exception {
    try (ArchiverOperation archiver = new ArchiverOperation(place, staging)) {
      KillDrill drill = new KillDrill(archiver);
      for (int step : steps) {
        drill.killAt(Integer.toString(step));
      }
      drill.finish();
      assertThat(drill.killed()).isEqualTo(steps.length);
    }
  }
}
