package dev.rota.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks the alerts with the tool of Prometheus, and lets each fire; where it is installed. */
class PromtoolTest {

  private static final String TOOL = "promtool";

  @TempDir private Path folder;

  @BeforeAll
  static void isInstalled() {
    boolean installed =
        List.of(System.getenv("PATH").split(":")).stream()
            .anyMatch(place -> Files.isExecutable(Path.of(place, TOOL)));
    if (!installed) {
      System.out.println("promtool is not installed: the alerts are not checked by it");
    }
    assumeTrue(installed, "promtool is not installed");
  }

  @Test
  void theRulesAreValid() throws Exception {
    write(GeneratedFile.ALERTS);
    assertThat(run("check", "rules", "prometheus-alerts.yml"))
        .contains(AlertRule.values().length + " rules found");
  }

  @Test
  void eachAlertFiresAndIsQuiet() throws Exception {
    write(GeneratedFile.ALERTS);
    write(GeneratedFile.ALERT_TESTS);
    assertThat(run("test", "rules", "prometheus-alerts-test.yml")).contains("SUCCESS");
  }

  private void write(GeneratedFile file) throws IOException {
    String name = Path.of(file.path()).getFileName().toString();
    Files.writeString(folder.resolve(name), file.content());
  }

  private String run(String... arguments) throws Exception {
    Path output = folder.resolve("output");
    ProcessBuilder builder = new ProcessBuilder(TOOL);
    builder.command().addAll(List.of(arguments));
    Process process =
        builder
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    boolean ended = process.waitFor(2, TimeUnit.MINUTES);
    process.destroyForcibly();
    String text = Files.readString(output, StandardCharsets.UTF_8);
    assertThat(ended).as(text).isTrue();
    assertThat(process.exitValue()).as(text).isZero();
    return text;
  }
}
