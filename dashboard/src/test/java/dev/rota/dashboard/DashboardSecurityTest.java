package dev.rota.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.RotaFixture;
import dev.rota.RotaTest;
import dev.rota.TaskState;
import dev.rota.Tenant;
import dev.rota.audit.AuditQuery;
import dev.rota.audit.AuditState;
import dev.rota.graph.TaskGraph;
import dev.rota.schedule.Schedule;
import dev.rota.testing.Await;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that each form is refused to those who may not send it, and recorded for those who may. */
@RotaTest
@Tag("exhaustive")
class DashboardSecurityTest {

  /** A form: its action, the right that it needs, and its fields. */
  record Post(String action, Right right, List<String> fields) {

    Post(String action, Right right, String... fields) {
      this(action, right, List.of(fields));
    }

    String[] with(String... further) {
      return Stream.concat(fields.stream(), Stream.of(further)).toArray(String[]::new);
    }

    @Override
    public String toString() {
      return action;
    }
  }

  @Given private RotaFixture fixture;
  @Given private Tenant acme;

  static List<Post> posts() {
    return List.of(
        new Post("redrive", Right.REDRIVE, "tenant", "acme"),
        new Post("replay", Right.REDRIVE, "tenant", "acme"),
        new Post("enqueue", Right.ENQUEUE, "tenant", "acme", "kind", "mail"),
        new Post("cancel", Right.CANCEL, "tenant", "acme"),
        new Post("ask-to-end", Right.CANCEL, "tenant", "acme"),
        new Post("take-back", Right.CANCEL, "tenant", "acme", "longer", "1 h"),
        new Post("graph-cancel", Right.CANCEL, "tenant", "acme", "graph", "1"),
        new Post("priority", Right.CANCEL, "tenant", "acme", "priority", "3"),
        new Post("schedule-run", Right.SCHEDULE, "tenant", "acme", "schedule", "nightly"),
        new Post("schedule-pause", Right.SCHEDULE, "tenant", "acme", "schedule", "nightly"),
        new Post("schedule-resume", Right.SCHEDULE, "tenant", "acme", "schedule", "nightly"),
        new Post("schedule-remove", Right.SCHEDULE, "tenant", "acme", "schedule", "nightly"),
        new Post("pause", Right.TENANT, "scope", "tenant:acme"),
        new Post("resume", Right.TENANT, "scope", "tenant:acme"),
        new Post("limits", Right.TENANT, "scope", "tenant:acme", "weight", "2"),
        new Post("close", Right.TENANT, "tenant", "acme"),
        new Post("reopen", Right.TENANT, "tenant", "acme"));
  }

  @BeforeEach
  void giveItSomethingToChange() {
    TaskGraph.Builder graph = TaskGraph.builder();
    graph.add(NewTask.of("mail", "{}"));
    assertThat(acme.graphs().enqueue(graph.build()).id()).isEqualTo(1);
    var unused =
        acme.schedules()
            .add(Schedule.every("nightly", Duration.ofHours(24), NewTask.of("clean", "{}")));
  }

  private Browsing viewer(Viewer viewer) {
    return new Browsing(
        Dashboard.builder(fixture.rota()).access(request -> Optional.of(viewer)).build());
  }

  private static Viewer joe() {
    return Viewer.operator("joe");
  }

  @ParameterizedTest
  @MethodSource("posts")
  void aFormWithoutItsRightIsRefused(Post post) {
    Set<Right> others = EnumSet.complementOf(EnumSet.of(post.right));
    refused(viewer(joe().with(others)).post("/actions/" + post.action, post.with()));
  }

  @ParameterizedTest
  @MethodSource("posts")
  void aFormForAnotherTenantIsRefused(Post post) {
    refused(
        viewer(joe().onlyTenants(Set.of("other"))).post("/actions/" + post.action, post.with()));
  }

  @ParameterizedTest
  @MethodSource("posts")
  void aFormOfAnotherSiteIsRefused(Post post) {
    for (Map<String, String> from :
        List.of(
            Map.of("sec-fetch-site", "cross-site"),
            Map.of("sec-fetch-site", "same-site"),
            Map.of("sec-fetch-site", "none"),
            Map.of("origin", "https://evil.example", "host", "localhost"),
            Map.of("origin", "null", "host", "null"),
            Map.of("host", "localhost"),
            Map.of("origin", "http://"),
            Map.<String, String>of())) {
      Map<String, String> headers = new HashMap<>(from);
      headers.put("cookie", "rota_token=" + Browsing.TOKEN);
      refused(send(post, headers, Browsing.TOKEN));
    }
  }

  @ParameterizedTest
  @MethodSource("posts")
  void aFormWithoutItsTokenIsRefused(Post post) {
    refused(send(post, Browsing.OWN_PAGE, ""));
    refused(send(post, Browsing.OWN_PAGE, "0".repeat(32)));
    refused(send(post, Map.of("sec-fetch-site", "same-origin"), Browsing.TOKEN));
    refused(send(post, Map.of("sec-fetch-site", "same-origin", "cookie", "rota_token="), ""));
  }

  private DashboardResponse send(Post post, Map<String, String> headers, String token) {
    String[] fields = post.with("rota_token", token);
    return viewer(joe())
        .dashboard()
        .handle(Browsing.request("POST", "/actions/" + post.action, headers, fields));
  }

  private void refused(DashboardResponse answer) {
    assertThat(answer.status()).as(Browsing.text(answer)).isEqualTo(403);
    assertThat(fixture.rota().audit().list(AuditQuery.newest())).isEmpty();
    assertThat(acme.history().scanStates())
        .containsEntry(TaskState.PENDING, 1L)
        .containsEntry(TaskState.CANCELLED, 0L);
    assertThat(acme.schedules().find("nightly").orElseThrow().paused()).isFalse();
    assertThat(fixture.rota().tenants().list().get(0).closed()).isFalse();
    assertThat(fixture.rota().controls().rules()).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("posts")
  void anAcceptedFormIsRecorded(Post post) {
    DashboardResponse answer = viewer(joe()).post("/actions/" + post.action, post.with());
    assertThat(answer.status()).as(Browsing.text(answer)).isEqualTo(303);
    assertThat(fixture.rota().audit().list(AuditQuery.newest()))
        .singleElement()
        .satisfies(
            entry -> {
              assertThat(entry.action().actor()).isEqualTo("joe");
              assertThat(entry.action().action()).isEqualTo(post.action);
              assertThat(entry.action().tenant()).hasValue("acme");
            });
    Await.until(
        "it has ended",
        () ->
            fixture.rota().audit().list(AuditQuery.newest()).get(0).result().state()
                == AuditState.DONE);
  }
}
