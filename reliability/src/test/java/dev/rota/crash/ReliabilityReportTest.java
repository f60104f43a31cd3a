package dev.rota.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the report contains one run, even beside files of others. */
class ReliabilityReportTest {

  private static final String ROTATIONS = "| rotations under load with kills | ";

  @TempDir private Path results;

  private void record(String run) throws IOException {
    String figures = "{\"rotations\": 7, \"kills\": {\"WORKER\": 3}, \"acknowledged\": 5}";
    Files.writeString(
        results.resolve("rotations-under-kills.json"),
        "{\"run\": \"" + run + "\", \"figures\": " + figures + "}");
  }

  @Test
  void figuresOfThisRunAreTold() throws IOException {
    record("crash with seed 42");
    assertThat(ReliabilityReport.report(results, false, "42"))
        .contains(ROTATIONS + "1,000 | 7, with 3 kills, over 5 tasks |");
  }

  @Test
  void figuresOfAnotherSeedAreLeftOut() throws IOException {
    record("crash with seed 41");
    assertThat(ReliabilityReport.report(results, false, "42"))
        .contains(ROTATIONS + "1,000 | not in this run |");
  }

  @Test
  void theLongRunHasTargetsOfItsOwn() throws IOException {
    record("crash with seed 42");
    assertThat(ReliabilityReport.report(results, true, "42"))
        .contains(ROTATIONS + "10,000 | not in this run |")
        .contains("| faults survived, leased | 1,000 | not in this run |")
        .contains("| interleavings | 20,000 on each version | not in this run |");
  }
}
