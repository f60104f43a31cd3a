package dev.rota.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Given;
import dev.rota.Rota;
import dev.rota.RotaTest;
import dev.rota.Tenant;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests what the links and forms of a page keep of its address. */
@RotaTest
class DashboardLinksTest {

  @Given private Rota rota;
  @Given private Tenant acme;

  @Test
  void theyKeepThatAPageDoesNotRenewItself() {
    Browsing browsing = new Browsing(Dashboard.builder(rota).build());
    String page = browsing.page("/tenants", "live", "off");
    assertThat(page)
        .contains("href=\"/ops/rota/storage?live=off\"")
        .contains("href=\"/ops/rota/tenant?live=off&amp;name=" + acme.name() + "\"")
        .contains("href=\"/ops/rota/tenants?live=off&amp;order=waiting\"")
        .contains("<input type=\"hidden\" name=\"live\" value=\"off\">")
        .doesNotContainPattern("/assets/[^\"]*live");
    assertThat(browsing.page("/schedules", "live", "off"))
        .contains("<input type=\"hidden\" name=\"live\" value=\"off\">");
    assertThat(browsing.page("/", "order", "name"))
        .contains("href=\"/ops/rota/storage\"")
        .contains("href=\"/ops/rota/tenant?name=" + acme.name() + "\"");
  }

  @Test
  void aPageRenewsItselfAsItSuitsItUnlessItsViewerChooses() {
    DashboardAccess all = DashboardAccess.everyone(Right.values());
    Browsing browsing = new Browsing(Dashboard.builder(rota).access(all).build());
    assertThat(browsing.page("/"))
        .contains("hx-trigger=\"every 2s\"")
        .contains("<a href=\"/ops/rota/\" aria-current=\"true\">every 2 s</a>")
        .contains("<a href=\"/ops/rota/?live=10\">every 10 s</a>");
    assertThat(browsing.page("/storage"))
        .contains("hx-trigger=\"every 10s\"")
        .contains("<a href=\"/ops/rota/storage?live=2\">every 2 s</a>")
        .contains("<a href=\"/ops/rota/storage\" aria-current=\"true\">every 10 s</a>");
    assertThat(browsing.page("/", "live", "10"))
        .contains("hx-trigger=\"every 10s\"")
        .contains("href=\"/ops/rota/storage?live=10\"");
    assertThat(browsing.page("/storage", "live", "2")).contains("hx-trigger=\"every 2s\"");
    assertThat(browsing.page("/limits")).contains("hx-trigger=\"every 10s\"");
    assertThat(browsing.page("/limits", "shares", "1")).contains("hx-trigger=\"every 2s\"");
    assertThat(browsing.page("/", "live", "off")).doesNotContain("hx-trigger");
    assertThat(browsing.page("/actions/redrive")).doesNotContain("hx-trigger");
  }

  @Test
  void noPathThatIsAskedForLeadsToAnotherHost() {
    DashboardRequest request =
        new DashboardRequest(
            "GET",
            new DashboardRequest.Location("", "//evil.example/a b"),
            Map.of(),
            Map.of(),
            DashboardRequest.Caller.unknown());
    String page = Browsing.text(Dashboard.builder(rota).build().handle(request));
    assertThat(page)
        .contains("href=\"/evil.example/a%20b?live=off\"")
        .doesNotContain("\"//evil.example");
  }
}
