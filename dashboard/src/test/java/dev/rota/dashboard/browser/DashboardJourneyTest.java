package dev.rota.dashboard.browser;

import dev.rota.Given;
import dev.rota.RotaTest;
import dev.rota.dashboard.browser.RedriveJourney.Keyboard;
import dev.rota.dashboard.browser.RedriveJourney.Mouse;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A thousand dead tasks become done, in a browser that runs the script of the pages. */
@BrowserTest
@RotaTest
@Tag("exhaustive")
class DashboardJourneyTest {

  @Given private FailedThousand tasks;

  @Test
  void aThousandDeadTasksBecomeDone(Browser browser) throws Exception {
    new RedriveJourney(browser, tasks, new Mouse(browser)).run();
  }

  @Test
  void aThousandDeadTasksBecomeDoneByKeysAlone(Browser browser) throws Exception {
    new RedriveJourney(browser, tasks, new Keyboard(browser)).run();
  }
}
