package dev.rota.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.NewTask;
import dev.rota.RolesFixture;
import dev.rota.Rota;
import dev.rota.TaskState;
import dev.rota.Tenant;
import dev.rota.audit.AuditEntry;
import dev.rota.audit.AuditQuery;
import dev.rota.audit.AuditState;
import dev.rota.graph.TaskGraph;
import dev.rota.limits.Rule;
import dev.rota.limits.Scope;
import dev.rota.schedule.Schedule;
import dev.rota.testing.Await;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests what a dashboard can do whose login has one of the roles of Rota. */
@Tag("exhaustive")
class DashboardRolesTest {

  private static final int NEWEST = 18;

  private RolesFixture roles;
  private long graphId;

  @BeforeEach
  void prepare() throws Exception {
    roles = RolesFixture.onVersion(NEWEST).migrated();
    try (Rota rota = roles.rota("daemon")) {
      rota.tenants().register("acme");
    }
    try (Rota rota = roles.rota("application")) {
      Tenant acme = rota.tenants().get("acme");
      acme.enqueue(NewTask.of("mail", "{}"));
    }
    try (Rota rota = roles.rota("daemon")) {
      Tenant acme = rota.tenants().get("acme");
      TaskGraph.Builder graph = TaskGraph.builder();
      graph.add(NewTask.of("mail", "{}"));
      graphId = acme.graphs().enqueue(graph.build()).id();
      var unused =
          acme.schedules()
              .add(Schedule.every("nightly", Duration.ofHours(24), NewTask.of("clean", "{}")));
    }
  }

  @AfterEach
  void close() throws Exception {
    roles.close();
  }

  private static Browsing operator(Rota rota) {
    return new Browsing(
        Dashboard.builder(rota).access(request -> Optional.of(Viewer.operator("joe"))).build());
  }

  @Test
  void withTheLoginOfAReaderItShowsAllAndChangesNothing() {
    try (Rota rota = roles.rota("reader")) {
      Browsing browsing = operator(rota);
      for (String path : DashboardTest.PAGES) {
        assertThat(browsing.page(path)).as(path).doesNotContain("Not shown");
      }
      assertThat(browsing.page("/tenant", "name", "acme")).contains("acme");
      assertThat(browsing.page("/graphs", "tenant", "acme")).contains("Graphs of acme");
      assertThat(browsing.page("/graph", "tenant", "acme", "id", Long.toString(graphId)))
          .contains("class=\"box\"");
      assertThat(browsing.page("/kind", "name", "mail")).contains("Kind mail");
      assertThat(browsing.page("/tenants.csv")).contains("acme,");
      for (DashboardSecurityTest.Post post : DashboardSecurityTest.posts()) {
        String[] fields = post.with("graph", Long.toString(graphId));
        DashboardResponse answer = browsing.post("/actions/" + post.action(), fields);
        assertThat(answer.status()).as("%s: %s", post, Browsing.text(answer)).isEqualTo(403);
        assertThat(Browsing.text(answer)).contains("The login of this dashboard only reads");
      }
      assertThat(rota.audit().list(AuditQuery.newest())).isEmpty();
      Tenant acme = rota.tenants().get("acme");
      assertThat(acme.history().scanStates()).containsEntry(TaskState.PENDING, 2L);
      assertThat(acme.schedules().list()).hasSize(1);
    }
  }

  @Test
  void withTheLoginOfAnOperatorItChangesRulesAlone() {
    try (Rota rota = roles.rota("operator")) {
      Browsing browsing = operator(rota);
      browsing.post("/actions/pause", "scope", "kind:mail");
      assertThat(ended(rota, "pause").result().state()).isEqualTo(AuditState.DONE);
      assertThat(rota.controls().rules()).extracting(Rule::scope).contains(Scope.kind("mail"));
      browsing.post("/actions/cancel", "tenant", "acme");
      AuditEntry refused = ended(rota, "cancel");
      assertThat(refused.result().state()).isEqualTo(AuditState.FAILED);
      assertThat(refused.result().detail()).contains("permission denied");
      assertThat(rota.tenants().get("acme").history().scanStates())
          .containsEntry(TaskState.CANCELLED, 0L);
    }
  }

  private static AuditEntry ended(Rota rota, String action) {
    Await.until("it has ended", () -> newest(rota).result().state() != AuditState.RUNNING);
    AuditEntry entry = newest(rota);
    assertThat(entry.action().action()).isEqualTo(action);
    return entry;
  }

  private static AuditEntry newest(Rota rota) {
    List<AuditEntry> entries = rota.audit().list(AuditQuery.newest());
    return entries.get(0);
  }
}
