package dev.rota.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Given;
import dev.rota.RotaTest;
import dev.rota.Tenant;
import dev.rota.testing.TestDatabase;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@RotaTest
class DashboardCommandTest {

  private static final Pattern ADDRESS = Pattern.compile("listens at (http://localhost:\\d+/)");

  @Given private TestDatabase database;
  @Given private Tenant acme;

  @Test
  void servesPagesUntilItIsInterrupted() throws Exception {
    try (RunningCommandLine dashboard =
        new RunningCommandLine(
            List.of("dashboard", "--port", "0", "--jdbc-url", database.jdbcUrl()))) {
      dashboard.await("the dashboard listens at");
      Matcher address = ADDRESS.matcher(dashboard.text());
      assertThat(address.find()).isTrue();
      HttpRequest tenants =
          HttpRequest.newBuilder(URI.create(address.group(1)).resolve("/tenants")).build();
      assertThat(HttpClient.newHttpClient().send(tenants, BodyHandlers.ofString()).body())
          .contains(acme.name());
      assertThat(dashboard.stop()).isZero();
      assertThat(dashboard.text()).contains("the dashboard stops");
    }
  }

  @Test
  @Tag("exhaustive")
  void aDemoAndADaemonServeItBesideTheirWork() throws Exception {
    Invocation demo =
        Invocation.of(
            "demo",
            "--tasks",
            "200",
            "--tenants",
            "2",
            "--dashboard",
            "0",
            "--jdbc-url",
            database.jdbcUrl());
    assertThat(demo.code()).as(demo.all()).isZero();
    assertThat(demo.err()).containsPattern(ADDRESS);
    try (RunningCommandLine daemon =
        new RunningCommandLine(
            List.of("daemon", "--dashboard", "0", "--jdbc-url", database.jdbcUrl()))) {
      daemon.await("rota: leading\n");
      assertThat(daemon.text()).containsPattern(ADDRESS);
      assertThat(daemon.stop()).isZero();
    }
  }

  @Test
  @Tag("exhaustive")
  void viewersChangeThingsIfItIsTold() throws Exception {
    assertThat(tenantPage()).doesNotContain("/actions/");
    assertThat(tenantPage("--dashboard-actions")).contains("/actions/cancel?tenant=" + acme.name());
  }

  private String tenantPage(String... options) throws Exception {
    List<String> words =
        new ArrayList<>(List.of("dashboard", "--port", "0", "--jdbc-url", database.jdbcUrl()));
    words.addAll(List.of(options));
    try (RunningCommandLine dashboard = new RunningCommandLine(words)) {
      dashboard.await("the dashboard listens at");
      Matcher address = ADDRESS.matcher(dashboard.text());
      assertThat(address.find()).isTrue();
      URI page = URI.create(address.group(1)).resolve("/tenant?name=" + acme.name());
      return HttpClient.newHttpClient()
          .send(HttpRequest.newBuilder(page).build(), BodyHandlers.ofString())
          .body();
    }
  }

  @Test
  void portsThatCannotBeUsedAreSaid() throws Exception {
    String url = database.jdbcUrl();
    Invocation wrong = Invocation.of("dashboard", "--port", "65536", "--jdbc-url", url);
    assertThat(wrong.code()).isEqualTo(2);
    assertThat(wrong.err()).contains("the port is 65536; allowed are 0 to 65535");
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String port = Integer.toString(taken.getLocalPort());
      Invocation refused = Invocation.of("dashboard", "--port", port, "--jdbc-url", url);
      assertThat(refused.code()).isOne();
      assertThat(refused.err())
          .contains("cannot listen on port " + port)
          .contains("choose another one");
    }
  }
}
