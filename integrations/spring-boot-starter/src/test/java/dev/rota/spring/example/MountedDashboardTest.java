package dev.rota.spring.example;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Rota;
import dev.rota.audit.AuditEntry;
import dev.rota.audit.AuditQuery;
import dev.rota.audit.AuditState;
import dev.rota.limits.Rule;
import dev.rota.limits.Scope;
import dev.rota.testing.Await;
import dev.rota.testing.ExampleProgram;
import dev.rota.testing.TestDatabase;
import java.net.CookieManager;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.ConfigurableApplicationContext;

/** Tests the dashboard under /ops/rota in docs/examples/spring-boot, behind Spring Security. */
class MountedDashboardTest {

  private static final Pattern HIDDEN =
      Pattern.compile("<input type=\"hidden\" name=\"([^\"]+)\" value=\"([^\"]*)\">");
  private static final String PAUSE = "/ops/rota/actions/pause";
  private static final String PREVIEW = PAUSE + "?scope=tenant:acme";

  @TempDir private static Path folder;

  private static TestDatabase database;
  private static ExampleProgram program;
  private static ConfigurableApplicationContext context;

  @BeforeAll
  static void start() throws Exception {
    database = TestDatabase.create();
    program = ExampleProgram.compile("spring-boot", folder);
    context = SpringBootExampleTest.start(program, database);
  }

  @AfterAll
  static void stop() throws Exception {
    context.close();
    program.close();
    database.close();
  }

  /** A browser in which a user has logged in. */
  private static final class Session {

    private final String user;
    private final HttpClient client =
        HttpClient.newBuilder().cookieHandler(new CookieManager()).build();

    Session(String user) {
      this.user = user;
    }

    HttpResponse<String> get(String path) throws Exception {
      return send(request(path));
    }

    HttpResponse<String> post(String path, Map<String, String> form) throws Exception {
      String content =
          form.entrySet().stream()
              .map(field -> field.getKey() + "=" + encoded(field.getValue()))
              .collect(Collectors.joining("&"));
      return send(
          request(path)
              .header("Content-Type", "application/x-www-form-urlencoded")
              .header("Origin", address("").toString())
              .POST(BodyPublishers.ofString(content)));
    }

    private HttpRequest.Builder request(String path) {
      String login =
          Base64.getEncoder().encodeToString((user + ":demo").getBytes(StandardCharsets.UTF_8));
      return HttpRequest.newBuilder(address(path)).header("Authorization", "Basic " + login);
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
      return client.send(request.build(), BodyHandlers.ofString());
    }
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private static URI address(String path) {
    String port = context.getEnvironment().getRequiredProperty("local.server.port");
    return URI.create("http://localhost:" + port + path);
  }

  private static Rota rota() {
    return context.getBean(Rota.class);
  }

  private static List<AuditEntry> audit() {
    return rota().audit().list(AuditQuery.newest());
  }

  @Test
  void onlyUsersWithItsRoleSeeIt() throws Exception {
    HttpRequest stranger = HttpRequest.newBuilder(address("/ops/rota/")).build();
    assertThat(HttpClient.newHttpClient().send(stranger, BodyHandlers.ofString()).statusCode())
        .isIn(302, 401);
    assertThat(new Session("max").get("/ops/rota/").statusCode()).isEqualTo(403);
    HttpResponse<String> page = new Session("rea").get("/ops/rota/tenant?name=acme");
    assertThat(page.statusCode()).isEqualTo(200);
    assertThat(page.body())
        .contains("<span class=\"viewer\">rea</span>")
        .contains("href=\"/ops/rota/tenants\"")
        .doesNotContain("/actions/");
    assertThat(new Session("rea").get(PREVIEW).statusCode()).isEqualTo(403);
  }

  @Test
  void aFormWorksWithTheTokenOfSpringAndItsUserIsInTheAudit() throws Exception {
    Session ann = new Session("ann");
    HttpResponse<String> preview = ann.get(PREVIEW);
    assertThat(preview.statusCode()).isEqualTo(200);
    Map<String, String> form =
        HIDDEN
            .matcher(preview.body())
            .results()
            .collect(Collectors.toMap(match -> match.group(1), match -> match.group(2)));
    assertThat(form).containsOnlyKeys("scope", "rota_token", "_csrf");
    for (String token : List.of("rota_token", "_csrf")) {
      Map<String, String> without =
          form.entrySet().stream()
              .filter(field -> !field.getKey().equals(token))
              .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
      assertThat(ann.post(PAUSE, without).statusCode()).as("without " + token).isEqualTo(403);
    }
    assertThat(audit()).isEmpty();
    HttpResponse<String> begun = ann.post(PAUSE, form);
    assertThat(begun.statusCode()).as(begun.body()).isEqualTo(303);
    Await.until("it is paused", () -> audit().get(0).result().state() == AuditState.DONE);
    assertThat(audit())
        .singleElement()
        .satisfies(entry -> assertThat(entry.action().actor()).isEqualTo("ann"));
    assertThat(rota().controls().rules()).extracting(Rule::scope).contains(Scope.tenant("acme"));
    assertThat(ann.get("/ops/rota/audit").body()).contains(">ann<").contains("pause");
  }
}
