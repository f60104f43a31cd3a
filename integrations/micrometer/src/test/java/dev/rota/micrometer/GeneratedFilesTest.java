package dev.rota.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.testing.Documents;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests that dashboard, alerts and documentation are those of the lists. It writes them to {@code
 * target}: after a change of a list, copy them from there.
 */
class GeneratedFilesTest {

  @ParameterizedTest
  @EnumSource(GeneratedFile.class)
  void isMadeOfTheLists(GeneratedFile file) throws IOException {
    Path copy = Path.of("target", Path.of(file.path()).getFileName().toString());
    Files.writeString(copy, file.content());
    Path present = Documents.home().resolve(file.path());
    assertThat(present)
        .as("copy integrations/micrometer/%s to %s", copy, file.path())
        .hasContent(file.content());
  }

  @Test
  void theDocumentHasTheTable() throws IOException {
    Files.writeString(Path.of("target", "meters.md"), GeneratedFile.table());
    assertThat(Documents.text("docs/metrics.md"))
        .as("copy integrations/micrometer/target/meters.md into the document")
        .contains(GeneratedFile.table());
  }

  @Test
  void theDocumentShowsTheCompiledExample() {
    assertThat(Documents.blocks("docs/metrics.md", "java"))
        .contains(
            Documents.region(
                "integrations/micrometer/src/test/java/dev/rota/micrometer/MetricsExample.java",
                "use"));
  }

  @Test
  void theDocumentNamesAllAlerts() {
    String text = Documents.text("docs/metrics.md");
    assertThat(AlertRule.values())
        .allMatch(alert -> text.contains("`" + alert.rule().name() + "`"));
  }

  @Test
  void panelsAndAlertsNameOnlySeriesOfMeters() {
    assertThat(Series.all()).containsAll(Series.in(GeneratedFile.DASHBOARD.content()));
    assertThat(Series.all()).containsAll(Series.in(GeneratedFile.ALERTS.content()));
    assertThat(Series.all()).containsAll(Series.in(GeneratedFile.ALERT_TESTS.content()));
  }

  @Test
  void aPanelShowsEachMeter() {
    TreeSet<String> shown = new TreeSet<>(Series.in(GeneratedFile.DASHBOARD.content()));
    assertThat(Arrays.asList(RotaMeter.values()))
        .filteredOn(meter -> Series.of(meter).stream().noneMatch(shown::contains))
        .isEmpty();
  }
}
