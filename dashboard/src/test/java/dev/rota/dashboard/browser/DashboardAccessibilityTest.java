package dev.rota.dashboard.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.deque.html.axecore.providers.EmbeddedResourceAxeProvider;
import dev.rota.Given;
import dev.rota.RotaTest;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Checks all pages by the rules of axe, in light and dark, on a telephone and on a desk. */
@BrowserTest
@RotaTest
@Tag("exhaustive")
class DashboardAccessibilityTest {

  private static final int HEIGHT = 900;
  private static final List<Integer> WIDTHS = List.of(320, 1_280);

  /** What of the page does not fit on the screen. */
  private static final String BEYOND =
      "document.documentElement.scrollWidth - document.documentElement.clientWidth";

  /** Calls back with a line for each rule that the page breaks. */
  private static final String RUN =
      """
      const [options, done] = arguments;
      axe.run({ resultTypes: ["violations"], ...options }).then(
        (results) => done(results.violations.map((rule) =>
          rule.id + ", " + rule.help + ": " + rule.nodes.map((node) => node.html).join(" "))),
        (error) => done([String(error)]));
      """;

  /** All rules, and one for fingers that is not in use by default. */
  private static final Map<String, ?> ALL_RULES =
      Map.of("rules", Map.of("target-size", Map.of("enabled", true)));

  /** The rules whose outcome the colours change. */
  private static final Map<String, ?> RULES_OF_COLORS =
      Map.of("runOnly", Map.of("type", "tag", "values", List.of("cat.color")));

  @Given private static FilledDashboard dashboard;

  @Test
  void noPageBreaksARuleOrIsWiderThanATelephone(Browser browser) throws Exception {
    String axe = new EmbeddedResourceAxeProvider().getScript();
    awaitChart(browser);
    List<URI> pages = dashboard.pages(browser);
    List<String> found = new ArrayList<>();
    for (URI page : pages) {
      browser.open(page);
      browser.awaitScript();
      var unused = browser.driver().executeScript(axe);
      found.addAll(violations(browser));
    }
    assertThat(pages).hasSizeGreaterThan(30);
    System.out.printf(
        "axe: %d pages, %d widths, light and dark: %d violations%n",
        pages.size(), WIDTHS.size(), found.size());
    assertThat(found).isEmpty();
  }

  /** Waits until the overview has two points to draw. */
  private static void awaitChart(Browser browser) {
    browser.open(dashboard.address("/"));
    new BrowserChart(browser).await();
  }

  private static List<String> violations(Browser browser) {
    List<String> found = new ArrayList<>();
    for (int width : WIDTHS) {
      browser.resize(width, HEIGHT);
      if (!browser.value(BEYOND).equals(0L)) {
        found.add(browser.address() + " is wider than " + width + " px");
      }
      browser.prefer("light");
      found.addAll(violations(browser, width + " px, light", ALL_RULES));
      browser.prefer("dark");
      found.addAll(violations(browser, width + " px, dark", RULES_OF_COLORS));
    }
    return found;
  }

  private static List<String> violations(Browser browser, String mode, Map<String, ?> rules) {
    List<?> violations = (List<?>) browser.driver().executeAsyncScript(RUN, rules);
    return violations.stream().map(each -> browser.address() + ", " + mode + ": " + each).toList();
  }
}
