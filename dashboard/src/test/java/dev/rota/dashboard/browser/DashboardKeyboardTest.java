package dev.rota.dashboard.browser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Given;
import dev.rota.RotaTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

/** Uses the pages by keys alone. */
@BrowserTest
@RotaTest
@Tag("exhaustive")
class DashboardKeyboardTest {

  private static final String FOCUSED = "document.activeElement.textContent";

  @Given private static FilledDashboard dashboard;

  @Test
  void theFirstKeySkipsTheNavigation(Browser browser) {
    browser.open(dashboard.address("/tenants"));
    browser.press(Keys.TAB);
    WebElement skip = browser.focused();
    assertThat(skip.getText()).isEqualTo("Skip to the content");
    assertThat(skip.getRect().getX()).as("it shows").isNotNegative();
    browser.press(Keys.ENTER);
    assertThat(browser.focused().getTagName()).isEqualTo("main");
    browser.press(Keys.TAB);
    assertThat(browser.focused().getDomAttribute("id")).isEqualTo("search");
  }

  @Test
  void aTenantIsFoundAndOpened(Browser browser) {
    browser.open(dashboard.address("/tenants"));
    browser.tabTo("#search");
    browser.press("NANT-07", Keys.ENTER);
    browser.await("one is left", () -> browser.all("tbody tr").size() == 1);
    browser.tabTo("tbody a");
    browser.press(Keys.ENTER);
    browser.await("it opens", () -> browser.heading().equals(FilledDashboard.TENANT));
  }

  @Test
  void aTenantIsPaused(Browser browser) {
    browser.open(dashboard.address("/tenant?name=tenant-42"));
    browser.tabTo("a[href*='/actions/pause']");
    browser.press(Keys.ENTER);
    browser.await("a form", () -> browser.heading().startsWith("Pause a tenant"));
    browser.tabTo("form[method=post] button");
    browser.press(Keys.ENTER);
    browser.await("it begins", () -> browser.heading().startsWith("pause "));
    browser.await("it ends", () -> browser.figure("state").equals("done"));
  }

  @Test
  void aRenewedPageKeepsTheFocusAndWhatIsScrolled(Browser browser) {
    browser.resize(320, 900);
    browser.open(dashboard.address("/tenants?order=name"));
    browser.tabTo("tbody tr:nth-child(3) a");
    // By script, since the page may renew itself between the look for an element and its text.
    Object name = browser.value(FOCUSED);
    assertThat(name.toString()).startsWith("tenant-");
    assertThat(browser.value("document.querySelector('.scroll').scrollLeft = 70")).isEqualTo(70L);
    browser.awaitRenewal();
    assertThat(browser.value(FOCUSED)).isEqualTo(name);
    assertThat(browser.value("document.querySelector('.scroll').scrollLeft")).isEqualTo(70L);
  }
}
