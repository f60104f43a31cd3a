package dev.rota.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.demo.DemoReport;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class DemoSummaryTest {

  @Test
  void ringsThatWereSwitchedStandBesideThoseThatWereDue() {
    DemoReport report = report(1_000, Duration.ofSeconds(2), 20.9);
    assertThat(report.fields())
        .containsEntry("rotations", 350L)
        .containsEntry("rotationsDue", 10_000L);
    assertThat(printed(report))
        .containsPattern("rotations +350 of at most 10,000 due, 7 postponed");
  }

  @Test
  void rateOfTheFirstSecondsStandsBesideThatOfTheWholeRun() {
    DemoReport report = report(1_000, Duration.ofSeconds(2), 10);
    assertThat(report.fields())
        .containsEntry("tasksPerSecond", 1L)
        .containsEntry("firstTenSecondsPerSecond", 12_345L);
    assertThat(printed(report)).containsPattern("first 10 s +12,345 tasks a second");
  }

  @Test
  void aRunOfLessThanAPeriodHasNoneDue() {
    assertThat(report(1_000, Duration.ofSeconds(2), 1.9).rotationsDue()).isZero();
  }

  private static DemoReport report(int tenants, Duration period, double seconds) {
    return new DemoReport(
        new DemoReport.Audit(5, 5, 0, 5, new DemoReport.Defects(0, 0, 0)),
        new DemoReport.Rotations(tenants, period, 350, 7, 9),
        Optional.empty(),
        new DemoReport.Times(1, seconds, 12_345),
        new DemoReport.Server("18.6", true));
  }

  private static String printed(DemoReport report) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DemoSummary.print(report, 0, new PrintStream(bytes, true, StandardCharsets.UTF_8));
    return bytes.toString(StandardCharsets.UTF_8);
  }
}
