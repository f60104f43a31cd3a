package dev.rota.dashboard.browser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.RotaTest;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.dashboard.DashboardServer;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import dev.rota.testing.ScriptedFault;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Watches pages that renew themselves, and those that a viewer has told not to. */
@BrowserTest
@RotaTest
@Tag("exhaustive")
class DashboardRenewalTest {

  private static final String CHOSEN = "#live a[aria-current]";
  private static final String THEME = "document.documentElement.dataset.theme";

  @Given private static FilledDashboard dashboard;

  @Test
  void numbersAndTheChartMoveWithoutAReload(Browser browser) {
    browser.open(dashboard.address("/"));
    var unused = browser.value("window.stays = 'yes'");
    BrowserChart chart = new BrowserChart(browser);
    chart.await();
    Object before = chart.picture();
    int points = chart.points();
    String pending = browser.figure("pending");
    Tenant tenant = dashboard.rota().tenants().get(FilledDashboard.TENANT);
    tenant.enqueueAll(Collections.nCopies(1_000, NewTask.of("count", "{}")));
    browser.await("they arrive", () -> !browser.figure("pending").equals(pending));
    try (Worker worker = dashboard.rota().worker().handle("count", task -> {}).start()) {
      browser.await("they begin", () -> begins(browser, tenant));
    }
    browser.await("the chart has more points", () -> chart.points() > points + 1);
    assertThat(chart.picture()).isNotEqualTo(before);
    assertThat(browser.value("window.stays")).isEqualTo("yes");
  }

  /** Looks at a rate that falls to 0 once tasks are done, and so keeps them coming. */
  private static boolean begins(Browser browser, Tenant tenant) {
    tenant.enqueue(NewTask.of("count", "{}"));
    return !browser.figure("begin").equals("0.0/s");
  }

  @Test
  void whatIsSwitchedOffStaysOff(Browser browser) throws Exception {
    browser.open(dashboard.address("/"));
    new BrowserChart(browser).await();
    browser.clickLink("off");
    awaitOff(browser, "Overview");
    assertSilent(browser);
    browser.clickLink("Tenants");
    awaitOff(browser, "Tenants");
    browser.find("#search").sendKeys("-07\n");
    browser.await("one is left", () -> browser.all("tbody tr").size() == 1);
    awaitOff(browser, "Tenants");
    browser.clickLink(FilledDashboard.TENANT);
    awaitOff(browser, FilledDashboard.TENANT);
    browser.clickLink("replay history");
    browser.await("a form", () -> browser.heading().startsWith("Enqueue"));
    browser.click("form[method=get] button");
    browser.clickLink("Overview");
    awaitOff(browser, "Overview");
    browser.clickLink("every 2 s");
    browser.await("it is on", () -> !browser.all("#page[hx-get]").isEmpty());
    assertThat(browser.address()).isEqualTo(dashboard.address("/").toString());
  }

  private static void awaitOff(Browser browser, String heading) {
    browser.await(
        heading + " does not renew itself",
        () -> browser.heading().equals(heading) && browser.find(CHOSEN).getText().equals("off"));
    assertThat(browser.all("#page[hx-get]")).isEmpty();
  }

  /** Lets the time of two renewals pass, and looks for what the browser asks for meanwhile. */
  private static void assertSilent(Browser browser) throws Exception {
    new BrowserChart(browser).await();
    browser.log().clear();
    int seen = pointsAtServer();
    Await.until("the server has read again", () -> pointsAtServer() > seen + 1);
    assertThat(requests(browser)).isEmpty();
  }

  /** The paths that the browser asked for since the last call. */
  private static List<String> requests(Browser browser) {
    return browser.log().events().stream()
        .flatMap(BrowserLog.Event::address)
        .map(address -> URI.create(address).getPath())
        .toList();
  }

  private static int pointsAtServer() throws Exception {
    HttpRequest chart = HttpRequest.newBuilder(dashboard.address("/chart.json")).build();
    String columns = HttpClient.newHttpClient().send(chart, BodyHandlers.ofString()).body();
    return columns.split(",").length / 3;
  }

  @Test
  void whatIsUnfoldedStaysSo(Browser browser) {
    browser.open(dashboard.address("/failures?kind=mail.send"));
    browser.click("a[href*='/task?']");
    browser.await("a task", () -> browser.heading().startsWith("Task"));
    browser.await("its payload", () -> browser.all(".tree .scroll details").size() == 5);
    browser.click(".tree .scroll details details summary");
    browser.click(".tree > details summary");
    String folded = "[...document.querySelectorAll('details')].map((each) => each.open).join()";
    Object before = browser.value(folded);
    assertThat(before).isEqualTo("true,false,true,false,false,true");
    browser.awaitRenewal();
    assertThat(browser.value(folded)).isEqualTo(before);
  }

  @Test
  void aThemeSurvivesANavigation(Browser browser) {
    browser.prefer("light");
    browser.open(dashboard.address("/"));
    browser.awaitScript();
    String light = background(browser);
    browser.click("#theme");
    browser.click("#theme");
    assertThat(browser.find("#theme").getText()).isEqualTo("Theme: dark");
    assertThat(background(browser)).isNotEqualTo(light);
    browser.clickLink("Failures");
    browser.await("it opens", () -> browser.heading().equals("Failures"));
    browser.await("it is dark", () -> "dark".equals(browser.value(THEME)));
    browser.click("#theme");
    assertThat(background(browser)).as("that of the system").isEqualTo(light);
  }

  private static String background(Browser browser) {
    return browser.find("body").getCssValue("background-color");
  }

  @Test
  void aPageThatFailedBecomesWholeAgain(Browser browser) {
    Faults faults = new Faults();
    ScriptedFault fault = faults.before("read backlog counters").always().fail();
    try (DashboardServer server = FilledDashboard.serve(dashboard.observed(faults))) {
      browser.open(server.address());
      assertThat(browser.heading()).isEqualTo("Not shown");
      fault.stop();
      browser.await("it is shown", () -> browser.heading().equals("Overview"));
      new BrowserChart(browser).await();
      assertThat(browser.find("nav [aria-current]").getText()).isEqualTo("Overview");
    }
  }
}
