package dev.rota.dashboard.browser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Given;
import dev.rota.RotaTest;
import dev.rota.dashboard.browser.BrowserLog.Event;
import java.net.URI;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Reads the console and the requests of a browser: its own policy forbids a page the rest. */
@BrowserTest
@RotaTest
@Tag("exhaustive")
class DashboardPolicyTest {

  private static final long MOST_BYTES = 100_000;

  @Given private static FilledDashboard dashboard;

  @Test
  void noPageLoadsFromOtherHostsOrBreaksItsPolicy(Browser browser) {
    List<URI> pages = dashboard.pages(browser);
    for (URI page : pages) {
      browser.open(page);
      browser.awaitScript();
    }
    browser.open(dashboard.address("/"));
    browser.awaitRenewal();
    assertThat(browser.log().messages())
        .as("the console")
        .allMatch(message -> message.contains("/no-such-page"), "tells of the missing page alone");
    assertThat(addresses(browser.log().events()))
        .hasSizeGreaterThan(pages.size())
        .allMatch(each -> each.startsWith(dashboard.address("/").toString()));
  }

  private static List<String> addresses(List<Event> events) {
    return events.stream()
        .flatMap(Event::address)
        .filter(each -> !each.startsWith("data:") && !each.startsWith("about:"))
        .toList();
  }

  @Test
  void aFirstVisitIsSmall(Browser browser) {
    browser.open(dashboard.address("/"));
    browser.awaitScript();
    List<Event> events = browser.log().events();
    long bytes = events.stream().mapToLong(Event::bytes).sum();
    System.out.printf(
        "a first visit: %,d bytes with headers, %d requests%n", bytes, addresses(events).size());
    assertThat(bytes).isBetween(10_000L, MOST_BYTES);
  }
}
