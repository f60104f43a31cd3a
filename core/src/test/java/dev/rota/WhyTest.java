package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.tuple;

import dev.rota.graph.TaskGraph;
import dev.rota.internal.DefaultRota;
import dev.rota.limits.Controls;
import dev.rota.limits.Explanation;
import dev.rota.limits.Reason;
import dev.rota.limits.Reason.Code;
import dev.rota.limits.Scope;
import dev.rota.testing.Await;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests that each reason why tasks do not begin is told, with its figures. */
@RotaTest
@PostgresVersions({15, 18})
class WhyTest {

  private static final NewTask MAIL = NewTask.of("mail", "{}");

  @Given private RotaFixture fixture;
  @Given private Tenant acme;
  @Given private Tenant other;
  private Controls controls;

  @BeforeEach
  void getControls() {
    controls = fixture.rota().controls();
  }

  @Test
  void noTenantHasTheName() throws SQLException {
    Explanation ghost = controls.why("ghost\n");
    assertThat(ghost.tenant()).isEqualTo("ghost\n");
    assertThat(ghost.reasons()).hasSize(1);
    assertThat(ghost.reasons().get(0).text())
        .isEqualTo("no tenant is named 'ghost?'; rota tenant list shows the names");
    assertThat(controls.why("\0").reasons().get(0).code()).isEqualTo(Code.UNKNOWN_TENANT);
    fixture.rota().tenants().rename("other", "new");
    Reason renamed = only(controls.why("other"));
    assertThat(renamed.code()).isEqualTo(Code.UNKNOWN_TENANT);
    assertThat(renamed.data()).isEqualTo(Map.of("renamedTo", "new"));
    fixture.execute("insert into rota.erasure (tenant, name) values (99, 'gone')");
    assertThat(only(controls.why("gone")).text())
        .isEqualTo("tenant 'gone' was erased; the erasure has not finished");
    fixture.execute("update rota.erasure set finished_at = '2030-01-01T00:00:00Z'");
    assertThat(only(controls.why("gone")).data())
        .isEqualTo(Map.of("finishedAt", "2030-01-01T00:00:00Z"));
    assertThat(only(controls.why("gone")).code()).isEqualTo(Code.ERASED);
  }

  @Test
  void theStateOfTheTenantIsTold() throws SQLException {
    live(1);
    fixture.rota().tenants().close("acme");
    assertThat(codes(controls.why("acme"))).containsExactly(Code.NOTHING_PENDING, Code.CLOSED);
    fixture.rota().tenants().register("idle");
    assertThat(codes(controls.why("idle"))).containsExactly(Code.PARKED);
    fixture.execute(
        "insert into rota.erasure (tenant, name, begun_at)"
            + " select number, name, '2030-01-01T00:00:00Z' from rota.tenant where name = 'other';"
            + "update rota.tenant set importing = true where name = 'other'");
    Explanation erased = controls.why("other");
    assertThat(codes(erased))
        .containsExactly(Code.BEING_ERASED, Code.BEING_IMPORTED, Code.NOTHING_PENDING);
    assertThat(erased.holdsAll()).isTrue();
    assertThat(erased.reasons().get(0).data()).containsEntry("begunAt", "2030-01-01T00:00:00Z");
  }

  @Test
  void eachPauseIsTold() throws SQLException {
    live(1);
    acme.enqueue(MAIL);
    controls.changePlan("acme", "pro");
    List<Scope> scopes =
        List.of(
            Scope.everything(),
            Scope.kind("mail"),
            Scope.plan("pro"),
            Scope.plan("pro").ofKind("mail"),
            Scope.tenant("acme"),
            Scope.tenant("acme").ofKind("mail"),
            Scope.tenant("acme").ofPriority(5));
    scopes.forEach(scope -> controls.pause(scope, "ticket " + scope, Duration.ofDays(1)));
    controls.pause(Scope.tenant("other"), "");
    controls.pause(Scope.plan("default"), "");
    controls.pause(Scope.kind("index"), "");
    assertThat(controls.why("acme").reasons())
        .extracting(reason -> reason.data().get("scope"), Reason::holdsAll)
        .containsExactlyInAnyOrder(
            tuple("all", true),
            tuple("kind:mail", false),
            tuple("plan:pro", true),
            tuple("plan:pro/kind:mail", false),
            tuple("tenant:acme", true),
            tuple("tenant:acme/kind:mail", false),
            tuple("tenant:acme/priority:5", false));
    assertThat(controls.why("acme", "mail").reasons())
        .filteredOn(Reason::holdsAll)
        .extracting(reason -> reason.data().get("scope"))
        .contains("kind:mail", "plan:pro/kind:mail", "tenant:acme/kind:mail");
    assertThat(controls.why("acme", "index").reasons())
        .extracting(reason -> reason.data().get("scope"))
        .contains("kind:index", "all")
        .doesNotContain("kind:mail");
    scopes.forEach(controls::resume);
    assertThat(codes(controls.why("acme"))).isEmpty();
  }

  @Test
  void aPauseTellsSinceWhenUntilWhenAndWhy() throws SQLException {
    acme.enqueue(MAIL);
    fixture.execute(
        "insert into rota.rule (tenant, paused_at, paused_until, paused_reason)"
            + " values (1, '2020-01-01T00:00:00Z', '2100-01-01T00:00:00Z', 'ticket 4711')");
    Reason paused = reason(controls.why("acme"), Code.PAUSED);
    assertThat(paused.text())
        .isEqualTo(
            "paused by the rule of tenant:acme since 2020-01-01T00:00:00Z until"
                + " 2100-01-01T00:00:00Z: ticket 4711");
    assertThat(paused.data())
        .containsExactly(
            Map.entry("scope", "tenant:acme"),
            Map.entry("reason", "ticket 4711"),
            Map.entry("since", "2020-01-01T00:00:00Z"),
            Map.entry("until", "2100-01-01T00:00:00Z"),
            Map.entry("by", "operator"));
    fixture.execute("update rota.rule set paused_until = now() - interval '1 second'");
    assertThat(codes(controls.why("acme"))).doesNotContain(Code.PAUSED);
  }

  @Test
  void aCapTellsWhoHoldsItsSlots() throws SQLException {
    acme.enqueue(MAIL);
    live(17);
    fixture.execute(
        "insert into rota.worker (id, host, lease, started_at, heartbeat_at, rules)"
            + " values (21, 'dead-host', '1 s', now(), now() - interval '1 min', 1)");
    controls.changeLimits(Scope.plan("default"), limits -> limits.concurrency(5));
    controls.changeLimits(Scope.kind("mail"), limits -> limits.concurrency(1));
    controls.changeLimits(Scope.everything(), limits -> limits.concurrency(9));
    shares("(1, 1, '', 17, 3), (1, 1, '', 21, 2), (null, 0, 'mail', 17, 1), (null, 0, '', 17, 8)");
    Explanation found = controls.why("acme");
    assertThat(found.reasons())
        .extracting(Reason::code, Reason::holdsAll, Reason::text)
        .containsExactly(
            tuple(
                Code.CAPPED,
                true,
                "the cap of tenant:acme is used up: 5 of 5 held by host-17 worker 17 (3), dead-host"
                    + " worker 21 (2, dead)"),
            tuple(
                Code.CAPPED,
                false,
                "the cap of kind:mail is used up: 1 of 1 held by host-17 worker 17 (1)"));
    assertThat(found.reasons().get(0).data())
        .containsEntry("scope", "tenant:acme")
        .containsEntry("cap", 5)
        .containsEntry("held", 5)
        .containsEntry(
            "holders",
            List.of(
                Map.of("worker", 17L, "host", "host-17", "held", 3, "alive", true),
                Map.of("worker", 21L, "host", "dead-host", "held", 2, "alive", false)));
    assertThat(controls.why("acme", "mail").reasons()).allMatch(Reason::holdsAll).hasSize(2);
    assertThat(controls.why("acme", "index").reasons()).filteredOn(Reason::holdsAll).hasSize(2);
    assertThat(codes(controls.why("acme", "index")))
        .containsExactly(Code.CAPPED, Code.NOTHING_PENDING);
    fixture.execute("update rota.share set held = held - 1");
    assertThat(codes(controls.why("acme"))).isEmpty();
  }

  @Test
  void noLiveWorkerIsTold() throws SQLException {
    acme.enqueue(MAIL);
    assertThat(only(controls.why("acme")).text())
        .isEqualTo("no worker has a live heartbeat, and none is registered");
    fixture.execute(
        "insert into rota.worker (id, host, lease, started_at, heartbeat_at, rules)"
            + " values (1, 'a', '30 s', now(), now() - interval '5 min 10 s', 1)");
    Reason dead = only(controls.why("acme"));
    assertThat(dead.code()).isEqualTo(Code.NO_WORKER);
    assertThat(dead.holdsAll()).isTrue();
    assertThat(dead.text())
        .isEqualTo("no worker has a live heartbeat; the last was that of a, 5 min ago");
    assertThat((double) dead.data().get("lastHeartbeatSecondsAgo")).isBetween(310.0, 370.0);
    live(2);
    assertThat(codes(controls.why("acme"))).isEmpty();
    fixture.execute("update rota.worker set rules = null where id = 2");
    Reason old = only(controls.why("acme"));
    assertThat(old.code()).isEqualTo(Code.OLD_WORKERS);
    assertThat(old.data()).isEqualTo(Map.of("workers", 1L, "of", 1L));
  }

  @Test
  void theCapOfAKindThatATenantDoesNotHaveIsNotTold() throws SQLException {
    live(17);
    acme.enqueue(MAIL);
    controls.changeLimits(Scope.kind("index"), limits -> limits.concurrency(1));
    shares("(null, 0, 'index', 17, 1)");
    assertThat(codes(controls.why("acme"))).isEmpty();
    assertThat(codes(controls.why("acme", "index")))
        .containsExactly(Code.CAPPED, Code.NOTHING_PENDING);
  }

  @Test
  void aRateTellsWhenItsNextStartComes() throws SQLException {
    live(1);
    acme.enqueue(MAIL);
    controls.changeLimits(Scope.plan("default"), limits -> limits.rate(1, Duration.ofDays(1)));
    controls.changeLimits(Scope.kind("mail"), limits -> limits.rate(6, Duration.ofHours(1)));
    controls.changeLimits(Scope.kind("index"), limits -> limits.rate(6, Duration.ofHours(1)));
    controls.changeLimits(Scope.everything(), limits -> limits.rate(1, Duration.ofMillis(1)));
    assertThat(codes(controls.why("acme"))).as("no start was leased").isEmpty();
    fixture.execute(
        "insert into rota.bucket (owner, kind, last_at) values (1, '', '2100-01-01T00:00:00Z'),"
            + " (null, 'mail', '2100-01-01T00:00:00Z'), (null, 'index', '2100-01-01T00:00:00Z'),"
            + " (null, '', now() - interval '1 s')");
    Explanation found = controls.why("acme");
    assertThat(found.reasons())
        .extracting(Reason::code, Reason::holdsAll, Reason::text)
        .containsExactly(
            tuple(
                Code.RATE_LIMITED,
                true,
                "the rate of tenant:acme is used up: 1/d burst 1; its next start comes at"
                    + " 2100-01-02T00:00:00Z"),
            tuple(
                Code.RATE_LIMITED,
                false,
                "the rate of kind:mail is used up: 6/h burst 1; its next start comes at"
                    + " 2100-01-01T00:10:00Z"));
    assertThat(found.reasons().get(1).data())
        .containsExactly(
            Map.entry("scope", "kind:mail"),
            Map.entry("rate", "6/h burst 1"),
            Map.entry("nextStart", "2100-01-01T00:10:00Z"));
    assertThat(controls.why("acme", "mail").reasons()).hasSize(2).allMatch(Reason::holdsAll);
    // A day after the last start the next one may come.
    fixture.execute("update rota.bucket set last_at = now() - interval '1 day'");
    assertThat(codes(controls.why("acme"))).isEmpty();
  }

  @Test
  void aRateThatAWorkerUsesIsTold() throws SQLException {
    controls.changeLimits(Scope.tenant("acme"), limits -> limits.rate(1, Duration.ofDays(1)));
    acme.enqueueAll(Collections.nCopies(10, MAIL));
    AtomicInteger ran = new AtomicInteger();
    try (Worker worker =
        fixture.another().worker().handle("mail", task -> ran.incrementAndGet()).start()) {
      Await.until("one ran", ran::get, 1);
      Reason rate = reason(controls.why("acme"), Code.RATE_LIMITED);
      assertThat(rate.holdsAll()).isTrue();
      assertThat(Instant.parse((String) rate.data().get("nextStart")))
          .isBetween(Instant.now(), Instant.now().plus(Duration.ofDays(2)));
    }
  }

  @Test
  @Tag("exhaustive")
  void aPoolThatNoLiveWorkerServesIsTold() throws SQLException {
    acme.enqueue(MAIL);
    controls.changeLimits(Scope.tenant("acme"), limits -> limits.pool("eu"));
    assertThat(codes(controls.why("acme"))).containsExactly(Code.NO_WORKER);
    live(1);
    fixture.execute("update rota.worker set rules = 2");
    Reason pool = only(controls.why("acme"));
    assertThat(pool.code()).isEqualTo(Code.POOL_NOT_SERVED);
    assertThat(pool.holdsAll()).isTrue();
    assertThat(pool.text()).isEqualTo("the tenant is in pool eu, which no live worker serves");
    assertThat(pool.data()).isEqualTo(Map.of("pool", "eu"));
    other.enqueue(MAIL);
    assertThat(codes(controls.why("other"))).isEmpty();
    fixture.execute("update rota.worker set pools = '{eu,us}'");
    assertThat(codes(controls.why("acme"))).isEmpty();
    assertThat(only(controls.why("other")).data()).isEqualTo(Map.of("pool", "default"));
    fixture.execute("update rota.worker set rules = 1, pools = null");
    assertThat(codes(controls.why("acme"))).as("it runs tasks of all pools").isEmpty();
  }

  @Test
  @Tag("exhaustive")
  void aKindThatNoWorkerHandlesIsTold() throws SQLException {
    live(1);
    live(2);
    acme.enqueueAll(List.of(MAIL, MAIL, NewTask.of("index", "{}")));
    fixture.execute(
        "update rota.worker set kinds = case id when 1 then '{mail}' else '{}' end::text[]");
    assertThat(codes(controls.why("acme"))).as("its tasks are young").isEmpty();
    fixture.execute("update rota_1.task_init_1_0 set created_at = now() - interval '1 minute'");
    Reason index = only(controls.why("acme"));
    assertThat(index.code()).isEqualTo(Code.KIND_NOT_HANDLED);
    assertThat(index.holdsAll()).isFalse();
    assertThat(index.text())
        .startsWith("no live worker handles kind index, and its oldest task is pending for ");
    assertThat(index.data()).containsEntry("kind", "index").containsEntry("pending", 1L);
    assertThat(only(controls.why("acme", "index")).holdsAll()).isTrue();
    assertThat(codes(controls.why("acme", "mail"))).isEmpty();
  }

  @Test
  void aWorkerTellsItsKinds() throws SQLException {
    acme.enqueueAll(List.of(MAIL, NewTask.of("index", "{}")));
    fixture.execute("update rota_1.task_init_1_0 set created_at = now() - interval '1 minute'");
    try (Worker worker = fixture.another().worker().handle("mail", task -> {}).start()) {
      Await.until("one ran", () -> worker.statistics().done(), 1);
      assertThat(only(controls.why("acme")).code()).isEqualTo(Code.KIND_NOT_HANDLED);
    }
  }

  @Test
  @Tag("exhaustive")
  void aKindThatNoWorkerSeemsToRunIsTold() throws SQLException {
    live(1);
    live(2);
    fixture.execute("update rota.worker set kinds = '{html}' where id = 2");
    acme.enqueueAll(List.of(MAIL, MAIL, NewTask.of("index", "{}"), NewTask.of("html", "{}")));
    fixture.execute("update rota_1.task_init_1_0 set created_at = now() - interval '1 minute'");
    assertThat(codes(controls.why("acme"))).as("there are no statistics").isEmpty();
    statistic("sms");
    Explanation found = controls.why("acme");
    assertThat(found.tasks().oldestPending().orElseThrow()).isBetween(minutes(1), minutes(3));
    assertThat(found.reasons())
        .extracting(Reason::code, Reason::holdsAll, reason -> reason.data().get("kind"))
        .containsExactly(
            tuple(Code.KIND_NOT_SEEN, false, "index"), tuple(Code.KIND_NOT_SEEN, false, "mail"));
    assertThat(found.reasons().get(1).data()).containsEntry("pending", 2L);
    statistic("mail");
    assertThat(only(controls.why("acme")).text())
        .startsWith("no attempt of kind index has ended in this hour and the last one");
    assertThat(codes(controls.why("acme", "mail"))).isEmpty();
  }

  private void statistic(String kind) throws SQLException {
    fixture.execute(
        "insert into rota.statistic values (2, date_bin('1 hour', now(), 'epoch'), 1, 0, 0, 0, 1, 1,"
            + " 1, '"
            + kind
            + "')");
  }

  @Test
  void delayedTasksAreTold() throws Exception {
    live(1);
    acme.enqueueAll(
        List.of(MAIL.after(Duration.ofHours(1)), MAIL.after(Duration.ofHours(2)), MAIL));
    try (Batch batch = acme.claim(1)) {
      batch.fail(batch.tasks().get(0), "no", Duration.ofHours(3));
      batch.settle();
    }
    Explanation found = controls.why("acme");
    assertThat(codes(found)).containsExactly(Code.NOTHING_PENDING, Code.DELAYED);
    assertThat(found.tasks().waiting()).isEqualTo(3);
    Map<String, Object> data = reason(found, Code.DELAYED).data();
    assertThat(data).containsEntry("tasks", 3L).containsEntry("retries", 1L);
    Instant next = Instant.parse((String) data.get("nextDue"));
    assertThat(next)
        .isEqualTo(
            Instant.parse(
                fixture
                    .texts(
                        "select to_json(min(run_at) at time zone 'utc') #>> '{}' || 'Z' from rota_1.task_wait_1")
                    .get(0)));
    assertThat(reason(found, Code.DELAYED).text())
        .isEqualTo(
            "waiting for their time: 3 tasks, retries among them: 1; the next is due at " + next);
    fixture.execute("update rota_1.task_wait_1 set run_at = now() - interval '1 s'");
    assertThat(reason(controls.why("acme"), Code.NO_DAEMON).data()).isEqualTo(Map.of("tasks", 3L));
    assertThat(codes(controls.why("acme", "index"))).containsExactly(Code.NOTHING_PENDING);
    try (Connection leader = fixture.begin()) {
      int namespace = DefaultRota.kernelOf(fixture.rota()).settings().lockNamespace();
      RotaFixture.execute(leader, "select pg_advisory_xact_lock(" + namespace + ", -1)");
      assertThat(codes(controls.why("acme"))).doesNotContain(Code.NO_DAEMON);
    }
  }

  @Test
  @Tag("exhaustive")
  void prerequisitesKeysAndRowsThatWereSetAsideAreTold() throws SQLException {
    live(1);
    TaskGraph.Builder graph = TaskGraph.builder();
    TaskGraph.Node first = graph.add(MAIL);
    graph.add(NewTask.of("index", "{}")).dependsOn(first);
    acme.graphs().enqueue(graph.build());
    assertThat(only(controls.why("acme")).text())
        .isEqualTo("waiting for prerequisites in graphs: 1 task");
    assertThat(controls.why("acme").tasks().waiting()).isEqualTo(1);
    assertThat(codes(controls.why("acme", "mail"))).isEmpty();
    try (Batch batch = acme.claim(1)) {
      assertThat(codes(controls.why("acme"))).containsExactly(Code.NOTHING_PENDING, Code.BLOCKED);
      assertThat(reason(controls.why("acme"), Code.NOTHING_PENDING).data())
          .isEqualTo(Map.of("running", 1L));
      batch.settle();
    }
    other.enqueue(MAIL.withKey(TaskKey.keptFor("daily", Duration.ofHours(1))));
    other.enqueue(MAIL.withKey("one"));
    assertThat(codes(controls.why("other"))).isEmpty();
    try (Batch batch = other.claim(1)) {
      batch.settle();
      Reason keys = reason(controls.why("other", "index"), Code.KEYS_TAKEN);
      assertThat(keys.data()).isEqualTo(Map.of("keys", 2L, "ofEndedTasks", 1L));
    }
    fixture.execute(
        "insert into rota.set_aside (tenant, reason, rows, last_id, last_at)"
            + " values (2, 'its kind is null', 3, 7, '2030-01-01T00:00:00Z')");
    Reason aside = reason(controls.why("other"), Code.SET_ASIDE);
    assertThat(aside.text())
        .isEqualTo(
            "set aside, since no worker can run them: 3 rows, the last at 2030-01-01T00:00:00Z: its"
                + " kind is null");
    assertThat(aside.data()).containsEntry("tasks", 3L).containsEntry("lastTask", 7L);
  }

  @Test
  void severalReasonsAreToldAtOnce() throws SQLException {
    acme.enqueueAll(List.of(MAIL, MAIL.after(Duration.ofHours(1))));
    fixture.rota().tenants().close("acme");
    controls.pause(Scope.tenant("acme"), "");
    controls.pause(Scope.kind("mail"), "");
    controls.changeLimits(Scope.tenant("acme"), limits -> limits.concurrency(1));
    fixture.execute(
        "insert into rota.worker (id, host, lease, started_at, heartbeat_at)"
            + " values (5, 'a', '1 s', now(), now() - interval '1 min')");
    shares("(1, 1, '', 5, 1)");
    assertThat(codes(controls.why("acme")))
        .containsExactly(
            Code.PAUSED, Code.CAPPED, Code.NO_WORKER, Code.CLOSED, Code.PAUSED, Code.DELAYED);
  }

  @Test
  @Tag("exhaustive")
  void theShareIsToldWhereOnlyOtherTenantsHoldTasksBack() throws SQLException {
    controls.changeLimits(Scope.tenant("acme"), limits -> limits.weight(3));
    for (Tenant tenant : List.of(acme, other)) {
      tenant.enqueueAll(Collections.nCopies(20_000, MAIL));
    }
    long nanos = TimeUnit.MILLISECONDS.toNanos(5);
    try (Worker worker =
        fixture
            .another()
            .worker()
            .concurrency(4)
            .handle("mail", task -> LockSupport.parkNanos(nanos))
            .start()) {
      Await.atLeast("each has ended whole batches", () -> tasksOfEndedBatches(), 300);
      assertThat(codes(controls.whyWithoutShares("acme", Optional.of("mail")))).isEmpty();
      Reason share = reason(controls.why("acme"), Code.SHARE);
      assertThat(share.holdsAll()).isFalse();
      assertThat((double) share.data().get("due")).isBetween(0.74, 0.76);
      assertThat((double) share.data().get("is")).isBetween(0.5, 0.95);
      assertThat((double) share.data().get("handlers")).isBetween(1.0, 5.0);
      assertThat(share.data())
          .containsEntry("weight", 3.0)
          .containsEntry("tier", 0)
          .containsEntry("tenantsThatWait", 2L)
          .containsEntry("ofHigherTiers", 0L);
      controls.changeLimits(Scope.tenant("acme"), limits -> limits.tier(1));
      assertThat(reason(controls.why("other"), Code.SHARE).text())
          .endsWith("beside 1 other tenant with pending tasks, 1 of a higher tier");
    }
  }

  /** Of the tenant that has fewest. Without an end in the last seconds its share is a guess. */
  private long tasksOfEndedBatches() throws SQLException {
    return fixture.number(
        "select coalesce(min(tasks), 0) from (select sum(b.tasks) filter (where closed_at is not null)"
            + " as tasks from rota.tenant t left join rota.task_batch b on b.tenant = t.number"
            + " group by t.number) ended");
  }

  /** A deep backlog is not counted, and a rotation that waits holds up nothing. */
  @Test
  @Tag("exhaustive")
  void whatWouldTakeLongIsEstimated() throws SQLException {
    live(1);
    acme.enqueueAll(Collections.nCopies(10_001, MAIL));
    Explanation deep = controls.why("acme");
    assertThat(deep.tasks().exact()).isFalse();
    assertThat(deep.tasks().pending()).isEqualTo(10_000);
    try (Connection lock = fixture.begin()) {
      RotaFixture.execute(lock, "lock table rota_1.task_init_1_2 in access exclusive mode");
      Explanation locked = controls.why("acme");
      assertThat(locked.tasks().exact()).isFalse();
      assertThat(locked.tasks().pending()).isEqualTo(10_001);
      assertThat(locked.reasons()).isEmpty();
    }
  }

  @Test
  void aMalformedKindIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> controls.why("acme", "not a kind"))
        .withMessageContaining("kind is 'not a kind'");
  }

  private void live(long worker) throws SQLException {
    fixture.execute(
        "insert into rota.worker (id, host, lease, started_at, heartbeat_at, rules)"
            + " values (%1$d, 'host-%1$d', '1 h', now(), now(), 1)".formatted(worker));
  }

  /** Rows of owner, tenant, kind, worker and slots. */
  private void shares(String rows) throws SQLException {
    String values = " from (values " + rows + ") as s (owner, tenant, kind, worker, held)";
    fixture.execute(
        "insert into rota.budget (owner, kind) select distinct owner::integer, kind"
            + values
            + ";insert into rota.share select tenant, kind, worker, held, true"
            + values);
  }

  private static Duration minutes(int minutes) {
    return Duration.ofMinutes(minutes);
  }

  private static List<Code> codes(Explanation found) {
    return found.reasons().stream().map(Reason::code).toList();
  }

  private static Reason only(Explanation found) {
    assertThat(found.reasons()).hasSize(1);
    return found.reasons().get(0);
  }

  private static Reason reason(Explanation found, Code code) {
    return found.reasons().stream()
        .filter(reason -> reason.code() == code)
        .findFirst()
        .orElseThrow(() -> new AssertionError(code + " is not in " + found));
  }
}
