package dev.rota.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Given;
import dev.rota.RotaFixture;
import dev.rota.RotaTest;
import dev.rota.Tenant;
import dev.rota.audit.AuditQuery;
import dev.rota.testing.TestDatabase;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests to whom commands serve the dashboard. */
@RotaTest
class DashboardLoginCommandTest {

  private static final String USER = "ROTA_DASHBOARD_USER";
  private static final String PASSWORD = "ROTA_DASHBOARD_PASSWORD";
  private static final Map<String, String> LOGIN = Map.of(USER, "joe", PASSWORD, "canary");
  private static final String WITHOUT_TLS = "other machines reach it without TLS";
  private static final Pattern ADDRESS = Pattern.compile("listens at (http://localhost:\\d+/)");

  private final HttpClient client = HttpClient.newHttpClient();
  @Given private RotaFixture fixture;
  @Given private TestDatabase database;
  @Given private Tenant acme;

  static Stream<Arguments> wrong() {
    return Stream.of(
        wrong(
            Map.of(USER, "joe"),
            PASSWORD + " is not set; set both " + USER + " and " + PASSWORD + ", or neither"),
        wrong(Map.of(USER, "joe", PASSWORD, ""), PASSWORD + " is not set"),
        wrong(Map.of(PASSWORD, "canary"), USER + " is not set"),
        wrong(Map.of(USER, "a:b", PASSWORD, "canary"), "the user is 'a:b'; use 1 to 200"),
        wrong(Map.of(USER, "joe", PASSWORD, " "), "the password is blank"),
        wrong(Map.of(), "--trust-header needs --trust-from CIDR", "--trust-header", "X-User"),
        wrong(Map.of(), "--trust-from needs --trust-header NAME", "--trust-from", "10.0.0.0/8"),
        wrong(
            Map.of(),
            "the range '10/8' is malformed; use one such as 10.0.0.0/8 or fd00::/8",
            "--trust-header",
            "X-User",
            "--trust-from",
            "10.0.0.0/8,10/8"),
        wrong(
            Map.of(),
            "the header is 'X User'; use one such as X-Forwarded-User",
            "--trust-header",
            "X User",
            "--trust-from",
            "10.0.0.0/8"),
        wrong(
            LOGIN,
            "--trust-header and ROTA_DASHBOARD_USER exclude each other; use one of both",
            "--trust-header",
            "X-User",
            "--trust-from",
            "10.0.0.0/8"),
        wrong(
            LOGIN,
            "--dashboard-address is [nosuch], which does not resolve; use an address of this",
            "--dashboard-address",
            "[nosuch]"),
        wrong(
            Map.of(USER, "", PASSWORD, ""),
            "--dashboard-address 0.0.0.0 lets other machines reach the dashboard: set "
                + USER
                + " and "
                + PASSWORD
                + ", or use --trust-header with --trust-from",
            "--dashboard-address",
            "0.0.0.0"));
  }

  private static Arguments wrong(Map<String, String> environment, String said, String... options) {
    return Arguments.of(environment, said, List.of(options));
  }

  /** No database is named: the refusal comes before its connection. */
  @ParameterizedTest
  @MethodSource("wrong")
  @Tag("exhaustive")
  void whatDoesNotFitIsRefused(Map<String, String> environment, String said, List<String> options) {
    for (List<String> command :
        List.of(
            List.of("dashboard", "--port", "0"),
            List.of("daemon", "--dashboard", "0"),
            List.of("demo", "--dashboard", "0"))) {
      Invocation call = Invocation.of(environment, "", words(command, options));
      assertThat(call.code()).as(call.all()).isEqualTo(2);
      assertThat(call.err()).startsWith("rota: " + said).hasLineCount(1);
      assertThat(call.all()).doesNotContain("canary");
    }
  }

  private static String[] words(List<String> command, List<String> options) {
    return Stream.of(command, options).flatMap(List::stream).toArray(String[]::new);
  }

  @Test
  void optionsWithoutADashboardAreRefused() {
    for (String option : List.of("--dashboard-address", "--trust-header", "--trust-from")) {
      for (String command : List.of("daemon", "demo")) {
        Invocation call = Invocation.of(command, option, "10.0.0.1");
        assertThat(call.code()).as(call.all()).isEqualTo(2);
        assertThat(call.err()).startsWith("rota: " + option + " needs --dashboard;");
      }
    }
    Invocation actions = Invocation.of("daemon", "--dashboard-actions");
    assertThat(actions.code()).as(actions.all()).isEqualTo(2);
    assertThat(actions.err()).startsWith("rota: --dashboard-actions needs --dashboard;");
  }

  @Test
  void aPasswordOfTheEnvironmentIsAskedFor() throws Exception {
    try (RunningCommandLine dashboard =
        start(LOGIN, "dashboard", "--port", "0", "--dashboard-actions")) {
      URI pages = pages(dashboard);
      assertThat(tenants(pages, "Accept", "*/*").statusCode()).isEqualTo(401);
      assertThat(tenants(pages, "Authorization", basic("joe:other")).statusCode()).isEqualTo(401);
      String right = basic("joe:canary");
      assertThat(tenants(pages, "Authorization", right).body()).contains(acme.name());
      pause(pages, "Authorization", right);
      audited("joe");
      assertThat(dashboard.stop()).isZero();
      assertThat(dashboard.text()).doesNotContain("canary").doesNotContain(WITHOUT_TLS);
    }
  }

  @Test
  void otherMachinesMayReachIt() throws Exception {
    try (RunningCommandLine dashboard =
        start(LOGIN, "dashboard", "--port", "0", "--dashboard-address", "0.0.0.0")) {
      dashboard.await(WITHOUT_TLS);
      URI pages = pages(dashboard);
      assertThat(tenants(pages, "Accept", "*/*").statusCode()).isEqualTo(401);
      assertThat(tenants(pages, "Authorization", basic("joe:canary")).body()).contains(acme.name());
    }
  }

  @Test
  void aProxyNamesUsersOfADaemon() throws Exception {
    try (RunningCommandLine daemon =
        start(
            Map.of(),
            "daemon",
            "--dashboard",
            "0",
            "--dashboard-actions",
            "--trust-header",
            "X-User",
            "--trust-from",
            "10.0.0.0/8, 127.0.0.1/32")) {
      URI pages = pages(daemon);
      assertThat(tenants(pages, "Accept", "*/*").statusCode()).isEqualTo(403);
      assertThat(tenants(pages, "X-User", "ann").body()).contains(acme.name());
      pause(pages, "X-User", "ann");
      audited("ann");
    }
  }

  @Test
  void otherAddressesAreRefused() throws Exception {
    try (RunningCommandLine dashboard =
        start(
            Map.of(),
            "dashboard",
            "--port",
            "0",
            "--trust-header",
            "X-User",
            "--trust-from",
            "10.0.0.0/8")) {
      assertThat(tenants(pages(dashboard), "X-User", "ann").statusCode()).isEqualTo(403);
    }
  }

  private RunningCommandLine start(Map<String, String> environment, String... words) {
    List<String> all = new ArrayList<>(List.of(words));
    all.addAll(List.of("--jdbc-url", database.jdbcUrl()));
    return new RunningCommandLine(environment, all);
  }

  private static URI pages(RunningCommandLine command) {
    command.await("the dashboard listens at");
    Matcher address = ADDRESS.matcher(command.text());
    assertThat(address.find()).as(command.text()).isTrue();
    return URI.create(address.group(1));
  }

  private static String basic(String credentials) {
    byte[] bytes = credentials.getBytes(StandardCharsets.UTF_8);
    return "Basic " + Base64.getEncoder().encodeToString(bytes);
  }

  private HttpResponse<String> tenants(URI pages, String header, String value)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(pages.resolve("/tenants")).header(header, value).build();
    return client.send(request, BodyHandlers.ofString());
  }

  private void pause(URI pages, String header, String value)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(pages.resolve("/api/v1/actions/pause"))
            .header(header, value)
            .header("X-Rota-Client", "test")
            .POST(BodyPublishers.ofString("scope=tenant:" + acme.name()))
            .build();
    assertThat(client.send(request, BodyHandlers.ofString()).statusCode()).isEqualTo(202);
  }

  private void audited(String actor) {
    assertThat(fixture.rota().audit().list(AuditQuery.newest()))
        .singleElement()
        .satisfies(entry -> assertThat(entry.action().actor()).isEqualTo(actor));
  }
}
