package dev.rota.dashboard.browser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.dashboard.DashboardServer;
import dev.rota.dashboard.HostileTexts;
import dev.rota.dashboard.TextedDashboard;
import dev.rota.dashboard.browser.BrowserLog.Event;
import java.net.URI;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Opens pages of hostile texts in a browser: none of them runs, loads or opens anything. */
@BrowserTest
@Tag("exhaustive")
class DashboardHostileTextTest {

  private static final long SEED = 1;
  private static final String RENEWED = "/failures";

  private static TextedDashboard hostile;
  private static DashboardServer server;

  @BeforeAll
  static void serve() throws Exception {
    hostile = new TextedDashboard(HostileTexts.of(SEED));
    server = DashboardServer.builder(hostile.dashboard(0)).start();
  }

  @AfterAll
  static void close() {
    server.close();
    hostile.close();
  }

  @Test
  void noTextRunsOrLoadsAnything(Browser browser) {
    Set<String> pages = pages(browser);
    browser.log().clear();
    for (String page : pages) {
      browser.open(URI.create(page));
      browser.awaitScript();
      assertThat(
              browser.all(
                  "main script, main img, main svg, main iframe, main [onclick], main [onmouseover]"))
          .as(page)
          .isEmpty();
    }
    browser.open(server.address().resolve(RENEWED));
    browser.awaitRenewal();
    assertThat(browser.log().messages()).as("the console").isEmpty();
    List<Event> events = browser.log().events();
    assertThat(events).extracting(Event::name).doesNotContain("Page.javascriptDialogOpening");
    assertThat(events.stream().flatMap(Event::address))
        .hasSizeGreaterThan(pages.size())
        .allMatch(each -> each.startsWith(server.address().toString()) || each.equals("data:,"));
    System.out.printf("hostile texts: %d pages in a browser%n", pages.size());
  }

  /** All pages without a tenant, those of all tenants, and all that one of these leads to. */
  private static Set<String> pages(Browser browser) {
    Set<String> pages = new LinkedHashSet<>(links(browser, "/?live=off", "nav a"));
    List<String> tenants = links(browser, "/tenants?live=off", "tbody a");
    pages.addAll(tenants);
    assertThat(tenants).hasSize(hostile.texts().size());
    pages.addAll(links(browser, tenants.get(0), "main a"));
    for (String path : List.of("/failures", "/schedules", "/limits", "/audit")) {
      List<String> found = links(browser, path + "?live=off", "tbody a");
      pages.addAll(found.subList(0, Math.min(found.size(), hostile.texts().size())));
    }
    return pages;
  }

  @Test
  void aNameIsShownAsItIs(Browser browser) {
    browser.open(server.address().resolve("/tenants?order=name&live=off"));
    String text = hostile.texts().get(0);
    assertThat(browser.all("tbody tr")).anyMatch(row -> row.getText().contains(text));
  }

  private static List<String> links(Browser browser, String path, String selector) {
    browser.open(server.address().resolve(path));
    return browser.all(selector).stream().map(link -> link.getDomProperty("href")).toList();
  }
}
