package dev.rota.dashboard.browser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Given;
import dev.rota.RotaTest;
import java.net.URI;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;
import org.openqa.selenium.WebElement;

/** Uses the pages in a browser that runs no scripts. */
@BrowserTest(script = false)
@RotaTest
@Tag("exhaustive")
class DashboardScriptlessTest {

  @Given private static FilledDashboard dashboard;

  @Test
  void everyPageShowsItsContentAndNoButtonWithoutEffect(Browser browser) {
    for (URI page : dashboard.pages(browser)) {
      browser.open(page);
      assertThat(browser.heading()).as(page.toString()).isNotBlank();
      assertThat(browser.find("#page").getText()).as(page.toString()).isNotBlank();
      assertThat(browser.all("button, input, #live a"))
          .as(page.toString())
          .filteredOn(WebElement::isDisplayed)
          .allMatch(each -> !each.findElements(By.xpath("ancestor::form")).isEmpty());
    }
  }

  @Test
  void tenantsAreSearchedAndSorted(Browser browser) {
    browser.open(dashboard.address("/tenants"));
    browser.find("#search").sendKeys("tenant-11");
    browser.find("form.search button").click();
    browser.await("eleven are found", () -> browser.all("tbody tr").size() == 11);
    browser.link("Tenant").click();
    browser.await("they are sorted", () -> browser.address().contains("order=name"));
    assertThat(browser.address()).contains("search=tenant-11");
    assertThat(browser.find("tbody a").getText()).isEqualTo("tenant-11");
    browser.link("tenant-110").click();
    browser.await("it opens", () -> browser.heading().equals("tenant-110"));
  }

  @Test
  void deadTasksRunAgain(Browser browser) {
    browser.open(dashboard.address("/failures?kind=report.make"));
    browser.link("run again").click();
    browser.await("a form", () -> browser.heading().equals("Run dead tasks again"));
    assertThat(browser.find("#page").getText()).contains("It runs 12 tasks of 2 tenants again");
    browser.find("form[method=post] button").click();
    browser.await("it begins", () -> browser.heading().startsWith("redrive "));
    browser.await(
        "it ends",
        () -> {
          browser.driver().navigate().refresh();
          return browser.figure("state").equals("done");
        });
    assertThat(browser.figure("tasks")).isEqualTo("12");
  }
}
