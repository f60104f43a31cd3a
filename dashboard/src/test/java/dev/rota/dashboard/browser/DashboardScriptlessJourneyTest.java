package dev.rota.dashboard.browser;

import dev.rota.Given;
import dev.rota.RotaTest;
import dev.rota.dashboard.browser.RedriveJourney.Mouse;
import dev.rota.dashboard.browser.RedriveJourney.Scriptless;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A thousand dead tasks become done, in a browser that runs no scripts. */
@BrowserTest(script = false)
@RotaTest
@Tag("exhaustive")
class DashboardScriptlessJourneyTest {

  @Given private FailedThousand tasks;

  @Test
  void aThousandDeadTasksBecomeDone(Browser browser) throws Exception {
    new RedriveJourney(browser, tasks, new Scriptless(new Mouse(browser))).run();
  }
}
