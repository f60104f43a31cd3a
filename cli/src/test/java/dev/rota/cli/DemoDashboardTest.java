package dev.rota.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Given;
import dev.rota.RotaTest;
import dev.rota.daemon.RotationDaemon;
import dev.rota.dashboard.browser.Browser;
import dev.rota.dashboard.browser.BrowserChart;
import dev.rota.dashboard.browser.BrowserTest;
import dev.rota.dashboard.browser.FilledDashboard;
import dev.rota.testing.Await;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Watches the demo in a browser, and leaves the pictures of the documents in {@code target}. */
@Tag("long")
@BrowserTest
@RotaTest
class DemoDashboardTest {

  private static final Pattern ADDRESS = Pattern.compile("listens at (http://localhost:\\d+/)");
  private static final List<String> DEMO =
      List.of("demo", "--tasks", "3000000", "--tenants", "100", "--dashboard", "0");
  private static final int BUSY_POINTS = 10;

  @Given private static FilledDashboard failing;

  @Test
  void tasksThatRunMoveTheChart(Browser browser) throws Exception {
    try (RunningCommandLine demo = new RunningCommandLine(DEMO)) {
      demo.await("the dashboard listens at");
      Matcher address = ADDRESS.matcher(demo.text());
      assertThat(address.find()).isTrue();
      browser.open(URI.create(address.group(1)));
      BrowserChart chart = new BrowserChart(browser);
      chart.await();
      browser.await("tasks begin", () -> chart.busyPoints() > 0);
      Object before = chart.picture();
      browser.await("the chart moves", () -> chart.busyPoints() > 3);
      assertThat(chart.picture()).isNotEqualTo(before);
      // Few tasks arrive while the tables of the tenants are made.
      Await.until(
          "there is much to see", Await.LONG, () -> isOver(demo) || chart.isBusy(BUSY_POINTS));
      Object old = chart.picture();
      browser.await("it is drawn", () -> isOver(demo) || !chart.picture().equals(old));
      browser.photograph(Path.of("target", "dashboard-overview.png"));
      Await.until("the demo ends", Await.LONG, () -> isOver(demo), demo::text);
    }
  }

  private static boolean isOver(RunningCommandLine demo) {
    return demo.text().contains("Verified");
  }

  @Test
  void failuresAreGrouped(Browser browser) throws IOException {
    try (RotationDaemon daemon = RotationDaemon.builder(failing.rota()).start()) {
      browser.open(failing.address("/failures"));
      browser.await(
          "a daemon leads", () -> browser.find("#daemon").getText().equals("a daemon leads"));
      assertThat(browser.all("tbody tr")).hasSizeGreaterThan(3);
      browser.photograph(Path.of("target", "dashboard-failures.png"));
    }
  }
}
