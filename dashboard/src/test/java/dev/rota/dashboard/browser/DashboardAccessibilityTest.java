package dev.rota.dashboard.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.deque.html.axecore.providers.EmbeddedResourceAxeProvider;
import dev.rota.Given;
import dev.rota.RotaTest;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Checks all pages by the rules of axe, in light and dark, on a telephone and on a desk. */
@BrowserTest
@RotaTest
class DashboardAccessibilityTest {

  private static final List<String> COLORS = List.of("light", "dark");
  private static final int NARROW = 320;
  private static final int HEIGHT = 900;
  private static final List<Integer> WIDTHS = List.of(NARROW, 1_280);

  /** Calls back with a line for each rule that the page breaks. */
  private static final String RUN =
      """
      const done = arguments[0];
      axe.run({ resultTypes: ["violations"], rules: { "target-size": { enabled: true } } }).then(
        (results) => done(results.violations.map((rule) =>
          rule.id + ", " + rule.help + ": " + rule.nodes.map((node) => node.html).join(" "))),
        (error) => done([String(error)]));
      """;

  @Given private static FilledDashboard dashboard;

  @Test
  void noPageBreaksARule(Browser browser) throws Exception {
    String axe = new EmbeddedResourceAxeProvider().getScript();
    List<URI> pages = dashboard.pages(browser);
    new BrowserChart(browser).await();
    List<String> found = new ArrayList<>();
    for (URI page : pages) {
      browser.open(FilledDashboard.still(page));
      browser.awaitScript();
      var unused = browser.driver().executeScript(axe);
      found.addAll(violations(browser));
    }
    System.out.printf(
        "axe: %d pages, %d widths, light and dark: %d violations%n",
        pages.size(), WIDTHS.size(), found.size());
    assertThat(found).isEmpty();
  }

  private static List<String> violations(Browser browser) {
    List<String> found = new ArrayList<>();
    for (int width : WIDTHS) {
      for (String colors : COLORS) {
        browser.resize(width, HEIGHT);
        browser.prefer(colors);
        for (Object rule : (List<?>) browser.driver().executeAsyncScript(RUN)) {
          found.add("%s, %d px, %s: %s".formatted(browser.address(), width, colors, rule));
        }
      }
    }
    return found;
  }

  @Test
  void noPageIsWiderThanATelephone(Browser browser) {
    List<URI> pages = dashboard.pages(browser);
    new BrowserChart(browser).await();
    browser.resize(NARROW, HEIGHT);
    String beyond = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
    assertThat(pages)
        .hasSizeGreaterThan(8)
        .allSatisfy(
            page -> {
              browser.open(page);
              browser.awaitScript();
              assertThat(browser.value(beyond)).as(page.toString()).isEqualTo(0L);
            });
  }
}
