package dev.rota.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class MainTest {

  @Test
  void listsABenchmarkForEachQuestion() throws IOException {
    assertThat(outputOf("-l"))
        .contains(
            "BulkEnqueueBenchmark",
            "SingleEnqueueBenchmark",
            "GroupCommitBenchmark",
            "ClaimBenchmark",
            "SettleBenchmark",
            "LifecycleBenchmark",
            "MixedBenchmark",
            "ClaimDepthBenchmark",
            "DiscoveryBenchmark",
            "IdleWorkerBenchmark",
            "RotationBenchmark",
            "RegistrationBenchmark",
            "ParkingBenchmark",
            "AssignmentBenchmark",
            "ViewersBenchmark");
  }

  @Test
  void listsTheirParameters() throws IOException {
    assertThat(outputOf("-lp")).contains("param \"contender\" = {rota, floor", "dbScheduler}");
  }

  @Test
  void namesTheProfilesWhenAskedForAnother() {
    assertThatThrownBy(() -> Profile.named("slow"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("profile is slow; there are none, quick, smoke");
  }

  @Test
  void putsTheDatabaseOfATrialIntoTheGivenUrl() {
    assertThat(TrialDatabase.withDatabase("jdbc:postgresql://db:5432/app?user=me", "trial"))
        .isEqualTo("jdbc:postgresql://db:5432/trial?user=me");
    assertThat(TrialDatabase.withDatabase("jdbc:postgresql://db", "trial"))
        .isEqualTo("jdbc:postgresql://db/trial");
    assertThatThrownBy(() -> TrialDatabase.withDatabase("postgres://db/app", "trial"))
        .hasMessageContaining("jdbc.url is postgres://db/app");
  }

  private static String outputOf(String... args) throws IOException {
    PrintStream console = System.out;
    ByteArrayOutputStream written = new ByteArrayOutputStream();
    System.setOut(new PrintStream(written, true, StandardCharsets.UTF_8));
    try {
      Main.main(args);
    } finally {
      System.setOut(console);
    }
    return written.toString(StandardCharsets.UTF_8);
  }
}
