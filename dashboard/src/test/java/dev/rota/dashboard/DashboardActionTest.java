package dev.rota.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Attempt;
import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.RetryPolicy;
import dev.rota.Rota;
import dev.rota.RotaFixture;
import dev.rota.RotaTest;
import dev.rota.TaskState;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.audit.AuditEntry;
import dev.rota.audit.AuditQuery;
import dev.rota.audit.AuditState;
import dev.rota.audit.AuditedAction;
import dev.rota.history.HistoryFilter;
import dev.rota.insight.ErrorQuery;
import dev.rota.limits.Rule;
import dev.rota.limits.Scope;
import dev.rota.schedule.Schedule;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import dev.rota.testing.ScriptedFault;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests what viewers change: dry runs, operations and their audit. */
@RotaTest
class DashboardActionTest {

  @Given private RotaFixture fixture;
  @Given private Tenant acme;

  private Rota rota() {
    return fixture.rota();
  }

  private Browsing operator() {
    return viewer(Viewer.operator("joe"));
  }

  private Browsing viewer(Viewer viewer) {
    return new Browsing(Dashboard.builder(rota()).access(request -> Optional.of(viewer)).build());
  }

  /** Does an action, and waits for its end. */
  private AuditEntry done(Browsing browsing, String action, String... fields) {
    long id = begun(browsing, action, fields);
    Await.until("it has ended", () -> entry(id).result().state() != AuditState.RUNNING);
    return entry(id);
  }

  private static long begun(Browsing browsing, String action, String... fields) {
    DashboardResponse answer = browsing.post("/actions/" + action, fields);
    assertThat(answer.status()).as(Browsing.text(answer)).isEqualTo(303);
    String address = String.valueOf(answer.headers().get("Location"));
    return Long.parseLong(address.substring(address.lastIndexOf('=') + 1));
  }

  private AuditEntry entry(long id) {
    return rota().audit().find(id).orElseThrow();
  }

  @Test
  @Tag("exhaustive")
  void aGroupOfErrorsOfManyTenantsRunsAgain() {
    List<Tenant> tenants = new ArrayList<>(List.of(acme));
    IntStream.range(0, 4).forEach(i -> tenants.add(fixture.tenant("shop-" + i)));
    for (Tenant tenant : tenants) {
      tenant.enqueueAll(
          IntStream.range(0, 200).mapToObj(i -> NewTask.of("mail", String.valueOf(i))).toList());
    }
    try (Worker worker = failing()) {
      Await.until("they died", () -> count(tenants, TaskState.DEAD) == 1_000);
      Await.until("all are counted", () -> deadByStatistics() == 1_000);
    }
    Browsing browsing = operator();
    String page = browsing.page("/failures");
    assertThat(page).contains("no order #").contains("no route to #").contains("mailbox # is full");
    long fingerprint = fingerprint("no order");
    String plan =
        browsing.page(
            "/actions/redrive", "fingerprint", "" + fingerprint, "kind", "mail", "spread", "2 s");
    assertThat(plan).contains("It runs 330 tasks of 5 tenants again within 2.0 s.");
    assertThat(count(tenants, TaskState.DEAD)).as("a preview changes nothing").isEqualTo(1_000);
    AuditEntry entry =
        done(browsing, "redrive", "fingerprint", "" + fingerprint, "kind", "mail", "spread", "2 s");
    assertThat(entry.result().tasks()).isEqualTo(330);
    assertThat(entry.result().state()).isEqualTo(AuditState.DONE);
    assertThat(entry.action().actor()).isEqualTo("joe");
    assertThat(entry.action().counted()).hasValue(330);
    assertThat(count(tenants, TaskState.DEAD)).isEqualTo(670);
    assertThat(count(tenants, TaskState.WAITING)).isEqualTo(330);
  }

  private Worker failing() {
    List<String> errors = List.of("no order %s", "no route to 10.0.0.%s", "mailbox '%s' is full");
    return rota()
        .worker()
        .hourlyStatistics(true)
        .retry(RetryPolicy.never())
        .handle(
            "mail",
            task -> {
              String id = task.payload();
              int which = Integer.parseInt(id) % 3;
              throw new IllegalStateException(errors.get((which + 1) % 3).formatted(id));
            })
        .start();
  }

  private static long count(List<Tenant> tenants, TaskState state) {
    return tenants.stream().mapToLong(t -> t.history().scanStates().get(state)).sum();
  }

  private long deadByStatistics() {
    return rota().insight().errors(today()).stream().mapToLong(e -> e.attempts().dead()).sum();
  }

  private ErrorQuery today() {
    Instant now = rota().insight().overview().readAt();
    return ErrorQuery.between(now.minus(Duration.ofHours(1)), now.plusSeconds(60));
  }

  private long fingerprint(String part) {
    return rota().insight().errors(today()).stream()
        .filter(error -> error.error().contains(part))
        .findFirst()
        .orElseThrow()
        .fingerprint();
  }

  @Test
  void tasksAreCancelledAndTheirPriorityChanged() {
    acme.enqueueAll(Collections.nCopies(12, NewTask.of("mail", "{}")));
    acme.enqueue(NewTask.of("report", "{}").after(Duration.ofHours(1)));
    Browsing browsing = operator();
    assertThat(browsing.page("/actions/cancel", "tenant", "acme", "kind", "mail"))
        .contains("It cancels 12 tasks among");
    assertThat(done(browsing, "priority", "tenant", "acme", "kind", "report", "priority", "5"))
        .extracting(entry -> entry.result().tasks())
        .isEqualTo(1L);
    AuditEntry entry =
        done(browsing, "cancel", "tenant", "acme", "kind", "mail", "reason", "not wanted");
    assertThat(entry.result().tasks()).isEqualTo(12);
    assertThat(acme.history().page(HistoryFilter.all()).attempts())
        .hasSize(12)
        .allSatisfy(attempt -> assertThat(attempt.state()).isEqualTo(TaskState.CANCELLED))
        .extracting(Attempt::error)
        .containsOnly(Optional.of("not wanted"));
  }

  @Test
  void aTaskIsEnqueuedAndReplayed() {
    Browsing browsing = operator();
    AuditEntry entry =
        done(browsing, "enqueue", "tenant", "acme", "kind", "mail", "payload", "{\"to\":\"x\"}");
    assertThat(entry.result().detail()).startsWith("task ");
    try (var batch = acme.claim(10)) {
      assertThat(batch).hasSize(1);
      batch.settle();
    }
    assertThat(browsing.page("/actions/replay", "tenant", "acme"))
        .contains("It enqueues 1 task once more");
    assertThat(done(browsing, "replay", "tenant", "acme").result().tasks()).isEqualTo(1);
    assertThat(acme.history().scanStates()).containsEntry(TaskState.PENDING, 1L);
  }

  /** Addresses stand in the logs of proxies and in the history of browsers. */
  @Test
  void noAddressHasAPayload() {
    Browsing browsing = operator();
    assertThat(browsing.page("/actions/enqueue", "tenant", "acme"))
        .contains("<form class=\"fields\" method=\"post\"")
        .doesNotContain("method=\"get\"");
    String payload = "secret".repeat(2_000);
    String[] fields = {"tenant", "acme", "kind", "mail", "payload", payload, "preview", "1"};
    DashboardResponse preview = browsing.post("/actions/enqueue", fields);
    assertThat(preview.status()).isEqualTo(200);
    assertThat(Browsing.text(preview))
        .contains("One task of kind mail is enqueued for acme.")
        .contains("name=\"payload\" value=\"" + payload)
        .contains("name=\"rota_token\" value=\"" + Browsing.TOKEN)
        .doesNotContain("payload=", "rota_token=");
    assertThat(acme.history().scanStates()).containsEntry(TaskState.PENDING, 0L);
    DashboardRequest foreign =
        Browsing.request("POST", "/actions/enqueue", Map.of("cookie", "a=b"), fields);
    DashboardResponse refused = browsing.dashboard().handle(foreign);
    assertThat(refused.status()).isEqualTo(403);
    assertThat(Browsing.text(refused)).doesNotContain("secret");
  }

  @Test
  void runningTasksAreAskedToEndAndTakenBack() {
    acme.enqueue(NewTask.of("mail", "{}"));
    try (var batch = acme.claim(1)) {
      Browsing browsing = operator();
      assertThat(done(browsing, "ask-to-end", "tenant", "acme").result().tasks()).isEqualTo(1);
      assertThat(done(browsing, "take-back", "tenant", "acme", "longer", "0 s").result().tasks())
          .isLessThanOrEqualTo(1);
      assertThat(acme.history().scanStates()).containsEntry(TaskState.RUNNING, 0L);
    }
  }

  @Test
  void schedulesAreRunPausedResumedAndRemoved() {
    var unused =
        acme.schedules()
            .add(Schedule.every("nightly", Duration.ofHours(24), NewTask.of("clean", "{}")));
    Browsing browsing = operator();
    String[] nightly = {"tenant", "acme", "schedule", "nightly"};
    assertThat(browsing.page("/schedules")).contains("/ops/rota/actions/schedule-pause?");
    assertThat(done(browsing, "schedule-run", nightly).result().detail()).startsWith("task ");
    done(browsing, "schedule-pause", nightly);
    assertThat(acme.schedules().find("nightly").orElseThrow().paused()).isTrue();
    done(browsing, "schedule-resume", nightly);
    assertThat(acme.schedules().find("nightly").orElseThrow().paused()).isFalse();
    done(browsing, "schedule-remove", nightly);
    assertThat(acme.schedules().list()).isEmpty();
    assertThat(browsing.page("/actions/schedule-run", nightly)).contains("has no schedule");
  }

  @Test
  void tenantsArePausedLimitedAndClosed() {
    Browsing browsing = operator();
    done(browsing, "pause", "scope", "tenant:acme", "reason", "moves", "length", "1 h");
    assertThat(rota().controls().rules()).extracting(Rule::scope).contains(Scope.tenant("acme"));
    done(browsing, "resume", "scope", "tenant:acme");
    assertThat(rota().controls().rules()).isEmpty();
    String[] limits = {"scope", "tenant:acme", "weight", "2", "concurrency", "7", "rate", "5/s"};
    assertThat(browsing.page("/actions/limits", limits)).contains("They become");
    done(browsing, "limits", limits);
    assertThat(rota().controls().rules().get(0).limits().concurrency()).hasValue(7);
    done(browsing, "limits", "scope", "tenant:acme", "concurrency", "none");
    assertThat(rota().controls().rules().get(0).limits().concurrency()).isEmpty();
    done(browsing, "close", "tenant", "acme");
    assertThat(rota().tenants().list().get(0).closed()).isTrue();
    done(browsing, "reopen", "tenant", "acme");
    assertThat(rota().tenants().list().get(0).closed()).isFalse();
  }

  @Test
  void anActionThatFailsIsRecordedWithItsReason() {
    Browsing browsing = operator();
    rota().tenants().close("acme");
    AuditEntry entry = done(browsing, "enqueue", "tenant", "acme", "kind", "mail");
    assertThat(entry.result().state()).isEqualTo(AuditState.FAILED);
    assertThat(browsing.page("/operation", "id", "" + entry.id())).contains("closed");
    assertThat(browsing.page("/audit")).contains("failed").contains("joe");
  }

  @Test
  @Tag("exhaustive")
  void aChangeThatRunsIsStopped() {
    long id =
        rota()
            .audit()
            .begin(
                new AuditedAction("ann", "redrive", Optional.empty(), "all", OptionalLong.empty()));
    Browsing browsing = operator();
    assertThat(browsing.page("/operation", "id", "" + id)).contains("stop it");
    Browsing reader = viewer(Viewer.reader("rea"));
    assertThat(reader.post("/actions/stop", "id", "" + id).status()).isEqualTo(403);
    assertThat(rota().audit().progress(id, 5)).isTrue();
    done(browsing, "stop", "id", "" + id);
    assertThat(rota().audit().progress(id, 7)).as("it may not go on").isFalse();
    assertThat(entry(id).result().tasks()).isEqualTo(7);
  }

  @Test
  void aStopDoesNotWaitForWhatItStops() throws Exception {
    Faults faults = new Faults();
    Rota slow = fixture.observed(faults);
    List.of(acme, fixture.tenant("other")).forEach(each -> each.enqueue(NewTask.of("mail", "{}")));
    ScriptedFault cancel = faults.before("cancel").hold();
    Viewer joe = Viewer.operator("joe");
    Browsing browsing =
        new Browsing(Dashboard.builder(slow).access(request -> Optional.of(joe)).build());
    long first = begun(browsing, "cancel", "tenant", "acme");
    long second = begun(browsing, "cancel", "tenant", "other");
    cancel.awaitReached(2);
    AuditEntry stop = done(browsing, "stop", "id", "" + first);
    assertThat(stop.result().state()).isEqualTo(AuditState.DONE);
    assertThat(entry(first).result().stopRequested()).isTrue();
    assertThat(entry(second).result().stopRequested()).isFalse();
    cancel.release();
    for (long id : List.of(first, second)) {
      Await.until("it has ended", () -> entry(id).result().state() != AuditState.RUNNING);
    }
  }

  @Test
  void badFieldsAreSaidBesideTheForm() {
    Browsing browsing = operator();
    assertThat(browsing.page("/actions/redrive", "tenant", "acme", "spread", "soon"))
        .contains("spread is 'soon'; use a number and one of ms, s, min, h, d")
        .contains("value=\"soon\"");
    assertThat(browsing.page("/actions/limits", "scope", "nonsense", "weight", "2"))
        .contains("This cannot be done");
    assertThat(browsing.page("/actions/enqueue", "tenant", "acme")).doesNotContain("What it does");
    assertThat(browsing.get("/actions/no-such").status()).isEqualTo(404);
    assertThat(browsing.post("/actions/enqueue", "tenant", "acme").status()).isEqualTo(400);
    assertThat(rota().audit().list(AuditQuery.newest())).isEmpty();
  }

  @Test
  void viewersOfSomeTenantsSeeNoOther() {
    fixture.tenant("other").enqueue(NewTask.of("mail", "{}"));
    acme.enqueue(NewTask.of("mail", "{}"));
    Browsing support = viewer(Viewer.operator("sue").onlyTenants(Set.of("acme")));
    assertThat(support.page("/tenants")).contains("1 tenants").doesNotContain("other");
    assertThat(support.get("/").status()).isEqualTo(403);
    assertThat(support.get("/chart.json").status()).isEqualTo(403);
    for (String path :
        List.of("/kinds", "/kind", "/pipelines", "/running", "/limits", "/workers", "/storage")) {
      assertThat(support.get(path).status()).as(path).isEqualTo(403);
      assertThat(support.page("/tenants")).doesNotContain("\"/ops/rota" + path + "\"");
    }
    assertThat(support.get("/tenant", "name", "other").status()).isEqualTo(403);
    for (String path : List.of("/failures", "/schedules", "/audit")) {
      assertThat(support.get(path, "tenant", "other").status()).as(path).isEqualTo(403);
      assertThat(support.get(path).status()).as(path).isEqualTo(200);
    }
    assertThat(support.page("/actions/cancel", "tenant", "acme"))
        .contains("It cancels 1 task among");
    assertThat(done(operator(), "pause", "scope", "kind:mail").id())
        .satisfies(
            id -> assertThat(support.get("/operation", "id", "" + id).status()).isEqualTo(403));
    done(support, "cancel", "tenant", "acme");
    assertThat(support.page("/audit")).contains("sue").doesNotContain("joe");
  }

  @Test
  void onlyActionsThatAViewerMayBeginAreOffered() {
    assertThat(operator().page("/tenant", "name", "acme")).contains("/actions/cancel?tenant=acme");
    assertThat(viewer(Viewer.reader("rea")).page("/tenant", "name", "acme"))
        .doesNotContain("/actions/");
  }

  @Test
  void aFormGivesTheBrowserItsToken() {
    DashboardResponse form = operator().get("/actions/close", "tenant", "acme");
    String cookie = String.valueOf(form.headers().get("Set-Cookie"));
    assertThat(cookie)
        .matches("rota_token=[0-9a-f]{32}; Path=/ops/rota; HttpOnly; SameSite=Strict");
    String token = cookie.substring(11, 43);
    assertThat(Browsing.text(form)).contains("name=\"rota_token\" value=\"" + token + "\"");
    DashboardRequest again =
        Browsing.request("GET", "/actions/close", Map.of("cookie", "rota_token=" + token));
    assertThat(operator().dashboard().handle(again).headers().get("Set-Cookie")).contains(token);
  }
}
