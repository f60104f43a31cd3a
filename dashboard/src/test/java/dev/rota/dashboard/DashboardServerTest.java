package dev.rota.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rota.Given;
import dev.rota.RotaFixture;
import dev.rota.RotaTest;
import dev.rota.Tenant;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the server of the JDK in front of a dashboard. */
@RotaTest
class DashboardServerTest {

  /** How many pages the server makes at once. */
  private static final int PAGES_AT_ONCE = 4;

  private final HttpClient client = HttpClient.newHttpClient();
  @Given private RotaFixture fixture;
  @Given private Tenant acme;

  private DashboardServer.Builder server() {
    return DashboardServer.builder(Dashboard.builder(fixture.rota()).build());
  }

  private DashboardServer start() {
    return server().start();
  }

  @Test
  void itServesPagesToThisMachine() throws Exception {
    Tenant odd = fixture.tenant("a/b c&d=ü");
    try (DashboardServer server = start()) {
      URI address = server.address();
      assertThat(get(address).body()).contains("<h1>Overview</h1>").contains(acme.name());
      String name = URLEncoder.encode(odd.name(), StandardCharsets.UTF_8);
      assertThat(get(address.resolve("/tenant?name=" + name)).body()).contains("<h1>a/b c&amp;d=ü");
      assertThat(get(address.resolve("/tenant?name=&x")).statusCode()).isEqualTo(400);
      assertThat(get(address.resolve("/healthz")).body()).isEqualTo("ok\n");
      HttpRequest head =
          HttpRequest.newBuilder(address)
              .method("HEAD", HttpRequest.BodyPublishers.noBody())
              .build();
      assertThat(client.send(head, BodyHandlers.ofString()).body()).isEmpty();
    }
  }

  @Test
  void otherNamesOfThisMachineAreRefused() throws Exception {
    try (DashboardServer server = start();
        Socket socket = new Socket("localhost", server.address().getPort())) {
      OutputStream out = socket.getOutputStream();
      out.write(
          "GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
              .getBytes(StandardCharsets.US_ASCII));
      InputStream in = socket.getInputStream();
      assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8))
          .startsWith("HTTP/1.1 421")
          .doesNotContain(acme.name());
    }
  }

  @Test
  void slowCallersDoNotKeepItFromOthers() throws Exception {
    List<Socket> slow = new ArrayList<>();
    try (DashboardServer server = start()) {
      int port = server.address().getPort();
      for (int i = 0; i < 2 * PAGES_AT_ONCE; i++) {
        Socket socket = new Socket("localhost", port);
        slow.add(socket);
        socket
            .getOutputStream()
            .write("GET / HTTP/1.1\r\nHost".getBytes(StandardCharsets.US_ASCII));
      }
      RawClient raw = RawClient.of(server);
      assertThat(raw.get("/healthz")).startsWith("HTTP/1.1 200 ");
      assertThat(raw.get("/tenants")).startsWith("HTTP/1.1 200 ").contains(acme.name());
    } finally {
      for (Socket socket : slow) {
        socket.close();
      }
    }
  }

  @Test
  @Tag("exhaustive")
  void itTellsThatItLivesWhilePagesTakeLong() throws Exception {
    CountDownLatch begun = new CountDownLatch(PAGES_AT_ONCE);
    CountDownLatch release = new CountDownLatch(1);
    Dashboard plain = Dashboard.builder(fixture.rota()).build();
    Dashboard held =
        request -> {
          if (request.location().path().equals("/tenants")) {
            begun.countDown();
            await(release);
          }
          return plain.handle(request);
        };
    try (DashboardServer server = DashboardServer.builder(held).start()) {
      URI tenants = server.address().resolve("/tenants");
      List<CompletableFuture<Integer>> pages =
          IntStream.range(0, PAGES_AT_ONCE)
              .mapToObj(
                  i ->
                      client.sendAsync(
                          HttpRequest.newBuilder(tenants).build(), BodyHandlers.ofString()))
              .map(page -> page.thenApply(HttpResponse::statusCode))
              .toList();
      assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
      RawClient raw = RawClient.of(server);
      assertThat(raw.get("/healthz")).startsWith("HTTP/1.1 200 ").endsWith("ok\n");
      assertThat(raw.get("/")).startsWith("HTTP/1.1 503 ").contains("has too much to do");
      release.countDown();
      assertThat(pages).allSatisfy(page -> assertThat(page.get()).isEqualTo(200));
      assertThat(raw.get("/")).startsWith("HTTP/1.1 200 ");
    } finally {
      release.countDown();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException("interrupted in a test", e);
    }
  }

  @Test
  void portsAreChecked() {
    Dashboard dashboard = Dashboard.builder(fixture.rota()).build();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> DashboardServer.builder(dashboard).port(65_536))
        .withMessage("port is 65536; allowed are 0 to 65535");
    try (DashboardServer server = start()) {
      int port = server.address().getPort();
      assertThatThrownBy(() -> DashboardServer.builder(dashboard).port(port).start())
          .isInstanceOf(UncheckedIOException.class)
          .hasMessage("the dashboard cannot listen on port " + port);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.0.0.0", "::", "192.0.2.1"})
  @Tag("exhaustive")
  void anAddressThatOthersReachNeedsUsers(String address) {
    assertThatIllegalStateException()
        .isThrownBy(() -> server().address(address).start())
        .withMessageContaining("other machines reach the address " + address)
        .withMessageContaining("password(user, secret)")
        .withMessageContaining("trustHeader(name, ranges)");
  }

  @Test
  void anAddressOfOtherMachinesIsRefused() {
    assertThatThrownBy(() -> server().address("192.0.2.1").password("joe", "secret").start())
        .isInstanceOf(UncheckedIOException.class)
        .hasMessage("the dashboard cannot listen on port 0 of 192.0.2.1");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> server().address("[nosuch]").start())
        .withMessage("address is '[nosuch]', which does not resolve; use one of this machine");
  }

  @Test
  void aPasswordAndAHeaderExcludeEachOther() {
    assertThatIllegalStateException()
        .isThrownBy(
            () ->
                server()
                    .password("joe", "secret")
                    .trustHeader("X-Forwarded-User", "10.0.0.0/8")
                    .start())
        .withMessage("the dashboard can ask for a password or trust a header, not both");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "a:b", "a\nb"})
  @Tag("exhaustive")
  void usersWithoutANameAreRefused(String user) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> server().password(user, "secret"))
        .withMessage(
            "user is '" + user + "'; use 1 to 200 characters, none of them a control or a colon");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> server().password("joe", user.replace(':', '\r')))
        .withMessage("password is blank, or has a control character");
  }

  @Test
  void headersAndRangesAreChecked() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> server().trustHeader("X User", "10.0.0.0/8"))
        .withMessage("header is 'X User'; use one such as X-Forwarded-User");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> server().trustHeader("X-Forwarded-User"))
        .withMessage(
            "header X-Forwarded-User has no trusted sender; name ranges such as 10.0.0.0/8");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> server().trustHeader("X-Forwarded-User", "10.0.0.0/8", "10/8"))
        .withMessageContaining("range '10/8' is malformed");
  }

  private HttpResponse<String> get(URI address) throws IOException, InterruptedException {
    return client.send(HttpRequest.newBuilder(address).build(), BodyHandlers.ofString());
  }
}
