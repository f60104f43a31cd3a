package dev.rota.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Given;
import dev.rota.RotaFixture;
import dev.rota.RotaTest;
import dev.rota.Tenant;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the servlet in a Tomcat. */
@RotaTest
class DashboardServletTest {

  @Given private RotaFixture fixture;
  @Given private Tenant acme;
  @TempDir private Path folder;

  @Test
  @Tag("exhaustive")
  void itIsMountedUnderAnyPath() throws Exception {
    Tomcat tomcat = new Tomcat();
    tomcat.setBaseDir(folder.toString());
    tomcat.setPort(0);
    Context context = tomcat.addContext("/shop", null);
    Dashboard dashboard = Dashboard.builder(fixture.rota()).build();
    Tomcat.addServlet(context, "rota", new DashboardServlet(dashboard)).addMapping("/ops/rota/*");
    tomcat.start();
    try {
      String base = "http://localhost:" + tomcat.getConnector().getLocalPort() + "/shop/ops/rota";
      String page = get(base + "/").body();
      assertThat(page).contains(acme.name()).contains("href=\"/shop/ops/rota/tenants\"");
      assertThat(get(base).body()).contains("<h1>Overview</h1>");
      assertThat(get(base + "/tenants?search=ac").body()).contains("1 tenants");
      assertThat(get(base + "/assets/dashboard.css").headers().firstValue("content-type"))
          .hasValue("text/css;charset=utf-8");
      assertThat(get(base + "/no").statusCode()).isEqualTo(404);
    } finally {
      tomcat.stop();
      tomcat.destroy();
    }
  }

  @Test
  void itsUserIsThatOfTheContainer() {
    Dashboard users = Dashboard.builder(fixture.rota()).access(DashboardAccess.users()).build();
    assertThat(new Browsing(users).get("/").status()).isEqualTo(403);
  }

  private static HttpResponse<String> get(String address) throws Exception {
    HttpRequest request = HttpRequest.newBuilder(URI.create(address)).build();
    return HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
  }
}
