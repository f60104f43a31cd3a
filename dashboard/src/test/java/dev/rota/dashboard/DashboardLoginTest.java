package dev.rota.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.rota.Given;
import dev.rota.RotaFixture;
import dev.rota.RotaTest;
import dev.rota.Tenant;
import dev.rota.audit.AuditQuery;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests to whom the server of the JDK answers: by its address, a password, or a proxy. */
@RotaTest
class DashboardLoginTest {

  private static final String HEADER = "X-Forwarded-User";
  private static final String PROXY = "127.0.0.2";
  private static final String PASSWORD = "grün: so grün";
  private static final String LOGIN = RawClient.basic("jörg:" + PASSWORD);

  @Given private RotaFixture fixture;
  @Given private Tenant acme;

  private DashboardServer.Builder server(DashboardAccess access) {
    return DashboardServer.builder(Dashboard.builder(fixture.rota()).access(access).build());
  }

  private DashboardServer.Builder server() {
    return server(DashboardAccess.everyone(Right.values()));
  }

  private DashboardServer withPassword() {
    return server().password("jörg", PASSWORD).start();
  }

  private DashboardServer behindProxy() {
    return server().trustHeader(HEADER, "10.0.0.0/8", PROXY + "/32").start();
  }

  /** Pauses a tenant as programs do. */
  private static String pause(RawClient client, String... headers) throws IOException {
    List<String> all = new ArrayList<>(List.of(headers));
    all.add("X-Rota-Client: test");
    return client.post("/api/v1/actions/pause", "scope=tenant:acme", all.toArray(String[]::new));
  }

  private void audited(String actor) {
    assertThat(fixture.rota().audit().list(AuditQuery.newest()))
        .singleElement()
        .satisfies(
            entry -> {
              assertThat(entry.action().actor()).isEqualTo(actor);
              assertThat(entry.action().action()).isEqualTo("pause");
            });
  }

  private void unaudited() {
    assertThat(fixture.rota().audit().list(AuditQuery.newest())).isEmpty();
  }

  private void refused(String answer, int status, String why) {
    assertThat(answer)
        .startsWith("HTTP/1.1 " + status + " ")
        .containsIgnoringCase("Cache-Control: no-store")
        .contains(why)
        .doesNotContain(acme.name());
  }

  private void shown(String answer) {
    assertThat(answer).startsWith("HTTP/1.1 200 ").contains(acme.name());
  }

  @Test
  void othersReachItWithThePassword() throws Exception {
    try (DashboardServer server = server().address("0.0.0.0").password("jörg", PASSWORD).start()) {
      assertThat(server.address()).hasHost("localhost");
      assertThat(System.getProperty("sun.net.httpserver.maxReqTime")).isEqualTo("60");
      for (InetAddress own : addresses(Inet4Address.class)) {
        RawClient client =
            new RawClient(
                URI.create("http://" + own.getHostAddress() + ":" + server.address().getPort()),
                own.getHostAddress());
        refused(client.get("/tenants"), 401, "the dashboard asks for its user and password");
        shown(client.get("/tenants", LOGIN, "Host: ops.example"));
      }
    }
  }

  /** The addresses of this machine, with those of loopback. */
  private static List<InetAddress> addresses(Class<? extends InetAddress> version)
      throws IOException {
    return NetworkInterface.networkInterfaces()
        .flatMap(NetworkInterface::inetAddresses)
        .filter(version::isInstance)
        .toList();
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(
      strings = {
        "jörg:",
        "jörg:wrong",
        "jörg:grün: so",
        "jörg:grün: so grün!",
        "JÖRG:grün: so grün",
        "joe:grün: so grün",
        "jörg",
        ":",
        ""
      })
  @Tag("exhaustive")
  void wrongCredentialsAreRefused(String credentials) throws Exception {
    try (DashboardServer server = withPassword()) {
      String header = credentials == null ? "Accept: */*" : RawClient.basic(credentials);
      RawClient client = RawClient.of(server);
      for (String path : List.of("/tenants", "/assets/dashboard.css", "/api/v1/tenants")) {
        String answer = client.get(path, header);
        refused(answer, 401, "the dashboard asks for its user and password");
        assertThat(answer)
            .containsIgnoringCase("WWW-Authenticate: Basic realm=\"Rota\", charset=\"UTF-8\"");
      }
      refused(pause(client, header), 401, "");
      unaudited();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"Basic", "Basic ", "Basic !!!", "Basic am9l=", "Bearer am9l", "Digest x"})
  @Tag("exhaustive")
  void otherCredentialsAreRefused(String value) throws Exception {
    try (DashboardServer server = withPassword()) {
      String answer = RawClient.of(server).get("/tenants", "Authorization: " + value);
      refused(answer, 401, "the dashboard asks for its user and password");
    }
  }

  @Test
  void theRightPasswordNamesTheUser() throws Exception {
    try (DashboardServer server = withPassword()) {
      RawClient client = RawClient.of(server);
      shown(client.get("/tenants", LOGIN));
      shown(client.get("/tenants", LOGIN.replace("Basic", "bAsIc")));
      shown(client.get("/tenants", LOGIN, "Host: ops.example"));
      refused(client.get("/tenants", LOGIN, LOGIN), 401, "");
      assertThat(pause(client, LOGIN, HEADER + ": eve")).startsWith("HTTP/1.1 202 ");
      audited("jörg");
    }
  }

  @Test
  void aHeaderIsNoPassword() throws Exception {
    try (DashboardServer server = withPassword()) {
      refused(pause(RawClient.of(server), HEADER + ": jörg"), 401, "");
      unaudited();
    }
  }

  @Test
  void probesStayOpen() throws Exception {
    try (DashboardServer login = withPassword();
        DashboardServer proxied = behindProxy()) {
      for (DashboardServer server : List.of(login, proxied)) {
        RawClient client = RawClient.of(server);
        assertThat(client.get("/healthz")).startsWith("HTTP/1.1 200 ").endsWith("ok\n");
        assertThat(client.get("/readyz", "Host: 10.1.2.3")).startsWith("HTTP/1.1 200 ");
        for (String path :
            List.of("/", "/healthz/", "/healthzx", "/healthz/../tenants", "/x/readyz")) {
          assertThat(client.get(path)).startsWith("HTTP/1.1 40").doesNotContain("<html", "404");
        }
      }
    }
  }

  @Test
  void theHeaderOfTheProxyNamesTheUser() throws Exception {
    try (DashboardServer server = behindProxy()) {
      RawClient proxy = new RawClient(server.address(), PROXY);
      shown(proxy.get("/tenants", HEADER + ": joe", "Host: ops.example"));
      assertThat(pause(proxy, "x-forwarded-user:  jörg ")).startsWith("HTTP/1.1 202 ");
      audited("jörg");
    }
  }

  @Test
  void othersAreRefusedWhateverTheySend() throws Exception {
    try (DashboardServer server = behindProxy()) {
      RawClient other = RawClient.of(server);
      for (String header :
          List.of("Accept: */*", HEADER + ": joe", HEADER + ": joe\r\nX-Forwarded-For: " + PROXY)) {
        refused(other.get("/tenants", header), 403, "takes requests from its proxy alone");
        refused(pause(other, header), 403, "takes requests from its proxy alone");
      }
      unaudited();
    }
  }

  @Test
  void aHeaderWithoutANameIsRefused() throws Exception {
    try (DashboardServer server = behindProxy()) {
      RawClient proxy = new RawClient(server.address(), PROXY);
      refused(proxy.get("/tenants"), 403, "must send the header " + HEADER + " once");
      refused(proxy.get("/tenants", LOGIN), 403, "it came 0 times");
      refused(
          proxy.get("/tenants", HEADER + ": eve", HEADER.toLowerCase(Locale.ROOT) + ": joe"),
          403,
          "it came 2 times");
      for (String value : List.of("", "  ", "x".repeat(201), "a\u0001b", "\u0085")) {
        refused(
            proxy.get("/tenants", HEADER + ": " + value),
            403,
            "the header " + HEADER + " holds no name of a user; use 1 to 200 characters");
      }
      shown(proxy.get("/tenants", HEADER + ": " + "ü".repeat(200)));
      RawClient old = new RawClient(server.address(), PROXY, StandardCharsets.ISO_8859_1);
      refused(old.get("/tenants", HEADER + ": jörg"), 403, HEADER + " is not in UTF-8");
    }
  }

  @Test
  void aHeaderIsNotBelievedUnlessItIsTrusted() throws Exception {
    try (DashboardServer server = server().start()) {
      assertThat(pause(RawClient.of(server), HEADER + ": eve")).startsWith("HTTP/1.1 202 ");
      audited("local");
    }
  }

  @Test
  void usersAreWhomItHasIdentified() throws Exception {
    try (DashboardServer open = server(DashboardAccess.users()).start();
        DashboardServer login =
            server(DashboardAccess.users()).password("jörg", PASSWORD).start()) {
      refused(RawClient.of(open).get("/tenants"), 403, "you may not see this dashboard");
      shown(RawClient.of(login).get("/tenants", LOGIN));
    }
  }

  @Test
  void formsNeedTheHostThatTheirBrowserSees() throws Exception {
    String[] sent = {
      HEADER + ": joe",
      "Origin: https://ops.example",
      "Cookie: rota_token=" + Browsing.TOKEN,
      "Host: ops.example"
    };
    String form = "scope=tenant:acme&rota_token=" + Browsing.TOKEN;
    try (DashboardServer server = behindProxy()) {
      RawClient proxy = new RawClient(server.address(), PROXY);
      String[] renamed = sent.clone();
      renamed[3] = "Host: 127.0.0.1:8085";
      assertThat(proxy.post("/actions/pause", form, renamed)).startsWith("HTTP/1.1 403 ");
      unaudited();
      assertThat(proxy.post("/actions/pause", form, sent)).startsWith("HTTP/1.1 303 ");
      audited("joe");
    }
  }

  @Test
  void otherAddressesOfThisMachineAnswerToTheirOwnNames() throws Exception {
    try (DashboardServer server = server().address(PROXY).start()) {
      assertThat(server.address()).hasHost(PROXY);
      RawClient client = RawClient.of(server);
      shown(client.get("/tenants"));
      shown(client.get("/tenants", "Host: localhost"));
      refused(client.get("/tenants", "Host: evil.example"), 421, "localhost alone");
      refused(client.get("/tenants", "Host: 127.0.0.3"), 421, "localhost alone");
    }
  }

  @Test
  @Tag("exhaustive")
  void itListensByVersionSix() throws Exception {
    assumeThat(addresses(Inet6Address.class)).anyMatch(InetAddress::isLoopbackAddress);
    try (DashboardServer server = server().address("::1").trustHeader(HEADER, "::1/128").start()) {
      assertThat(server.address()).hasHost("[0:0:0:0:0:0:0:1]");
      shown(new RawClient(server.address(), "::1").get("/tenants", HEADER + ": joe"));
    }
    try (DashboardServer server = server().address("::1").start()) {
      shown(new RawClient(server.address(), "::1").get("/tenants"));
      shown(new RawClient(server.address(), "::1").get("/tenants", "Host: [::1]:1"));
    }
  }
}
