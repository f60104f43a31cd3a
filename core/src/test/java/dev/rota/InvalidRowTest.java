package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.rota.control.TaskFilter;
import dev.rota.history.HistoryFilter;
import dev.rota.testing.Await;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests that a row that no worker can run becomes dead, with its reason, and its tenant continues.
 */
@ParameterizedClass
@ChosenVersions
@Tag("exhaustive")
class InvalidRowTest {

  private static final String GOOD = "%d, now(), null::bigint, 0, 'k', 'p', null::text, null::int";
  private static final long ODD = 500;

  private static RotaFixture fixture;
  private static Rota rota;
  private static int tenants;

  @Parameter int major;

  @BeforeParameterizedClassInvocation
  static void open(int major) {
    fixture = RotaFixture.onVersion(major);
    rota = fixture.another(builder -> builder.doorbell(false));
  }

  @AfterParameterizedClassInvocation
  static void close() {
    fixture.close();
  }

  static Stream<Arguments> odd() {
    return Stream.of(
        arguments("id is null", "null, now(), null, 0, 'k', 'p', null, null", "its id"),
        arguments("created_at is null", row("null", "0", "'k'", "'p'"), "its created_at"),
        arguments("created_at infinity", row("'infinity'", "0", "'k'", "'p'"), "its created_at"),
        arguments("created_at -infinity", row("'-infinity'", "0", "'k'", "'p'"), "its created_at"),
        arguments("created_at BC", row("'4713-01-01 BC'", "0", "'k'", "'p'"), "its created_at"),
        arguments("created_at far", row("'294276-12-31 UTC'", "0", "'k'", "'p'"), "its created_at"),
        arguments("attempt is null", row("now()", "null", "'k'", "'p'"), "its attempt"),
        arguments("attempt negative", row("now()", "-1", "'k'", "'p'"), "its attempt"),
        arguments("attempt least", row("now()", "-2147483648", "'k'", "'p'"), "its attempt"),
        arguments("attempt greatest", row("now()", "2147483647", "'k'", "'p'"), "its attempt"),
        arguments("kind is null", row("now()", "0", "null", "'p'"), "its kind"),
        arguments("kind empty", row("now()", "0", "''", "'p'"), "its kind"),
        arguments("kind long", row("now()", "0", "repeat('k', 129)", "'p'"), "its kind"),
        arguments("kind control", row("now()", "0", "E'k\\n\\x1b[1m'", "'p'"), "its kind"),
        arguments("payload is null", row("now()", "0", "'k'", "null"), "its payload"),
        arguments("key without table", marked("'key'", "null"), "it has a key"),
        arguments("key empty", marked("''", "null"), "its key"),
        arguments("key long", marked("repeat('x', 501)", "null"), "its key"),
        arguments("all traits", marked("null", "-1"), "it has traits that"),
        arguments("node without tables", marked("null", "1"), "it has traits that"),
        arguments("kept without key", marked("null", "2"), "it has traits that"),
        arguments("version without tables", marked("'key'", "4"), "it has a key"),
        arguments("unknown trait", marked("null", "1073741824"), "it has traits that"));
  }

  /** Rows of no kind are seen by no claim of a worker. */
  static Stream<Arguments> oddOfAKind() {
    return odd().filter(row -> !String.valueOf(row.get()[0]).startsWith("kind"));
  }

  private static String row(String created, String attempt, String kind, String payload) {
    return "%d, %s, null, %s, %s, %s, null, null".formatted(ODD, created, attempt, kind, payload);
  }

  private static String marked(String key, String traits) {
    return "%d, now(), null, 0, 'k', 'p', %s, %s".formatted(ODD, key, traits);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("odd")
  void aClaimGoesOn(String name, String values, String reason) throws Exception {
    Tenant tenant = tenantWith(values);
    Set<Long> ran = ConcurrentHashMap.newKeySet();
    try (Batch batch = tenant.claim(100)) {
      batch.forEach(task -> ran.add(task.id()));
      assertThat(batch.settle().settled()).isEqualTo(4);
    }
    assertSetAside(tenant, ran, reason);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("oddOfAKind")
  void aLeasedWorkerGoesOn(String name, String values, String reason) throws Exception {
    Tenant tenant = tenantWith(values);
    Set<Long> ran = ConcurrentHashMap.newKeySet();
    try (Worker worker =
        rota.worker().handle("k", task -> ran.add(task.id())).batchSize(2).start()) {
      awaitAll(tenant);
      Await.until("four ran", () -> ran.size(), 4);
    }
    assertSetAside(tenant, ran, reason);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("oddOfAKind")
  void aTransactionalWorkerGoesOn(String name, String values, String reason) throws Exception {
    Tenant tenant = tenantWith(values);
    Set<Long> ran = ConcurrentHashMap.newKeySet();
    try (Worker worker =
        rota.worker()
            .delivery(DeliveryMode.TRANSACTIONAL)
            .handleInTransaction("k", (task, connection) -> ran.add(task.id()))
            .batchSize(2)
            .start()) {
      awaitAll(tenant);
      Await.until("four ran", () -> ran.size(), 4);
    }
    assertSetAside(tenant, ran, reason);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("oddOfAKind")
  void fireAndForgetGoesOn(String name, String values, String reason) throws Exception {
    Tenant tenant = tenantWith(values);
    Set<Long> ran = ConcurrentHashMap.newKeySet();
    try (Worker worker =
        rota.worker()
            .delivery(DeliveryMode.FIRE_AND_FORGET)
            .handle("k", task -> ran.add(task.id()))
            .batchSize(2)
            .start()) {
      awaitAll(tenant);
      Await.until("four ran", () -> ran.size(), 4);
    }
    assertSetAside(tenant, ran, reason);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("odd")
  void allCanBeCancelledAndRead(String name, String values, String reason) throws Exception {
    Tenant tenant = tenantWith(values);
    assertThat(tenant.history().scanAttempts(ODD))
        .allSatisfy(it -> assertThat(it.createdAt()).isNotNull());
    assertThat(tenant.control().cancel(TaskFilter.all(), "not wanted")).isEqualTo(5);
    assertThat(tenant.history().page(HistoryFilter.all()).attempts()).hasSize(5);
    assertThat(tenant.history().page(HistoryFilter.all()).attempts())
        .allSatisfy(attempt -> assertThat(attempt.kind() + attempt.payload()).isNotNull());
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("odd")
  void allCanChangeTheirPriority(String name, String values, String reason) throws Exception {
    Tenant tenant = tenantWith(values);
    assertThat(tenant.control().changePriority(TaskFilter.all(), 7)).isEqualTo(5);
    Set<Long> ran = ConcurrentHashMap.newKeySet();
    try (Batch batch = tenant.claim(100)) {
      batch.forEach(task -> ran.add(task.id()));
      assertThat(batch.settle().settled()).isEqualTo(4);
    }
    assertSetAside(tenant, ran, reason);
  }

  @Test
  void aWorkerThatFindsNothingElseSetsAsideWhatIsOfNoKind() throws Exception {
    Tenant tenant = RotaFixture.tenant(rota, "tenant " + ++tenants);
    insert(tenant, "select " + row("now()", "0", "null", "'p'"));
    insert(tenant, "select " + row("now()", "0", "'some kind'", "'p'"));
    try (Worker worker = rota.worker().handle("k", task -> {}).start()) {
      awaitAll(tenant);
    }
    assertThat(fixture.number("select rows from rota.set_aside where tenant = " + tenant.number()))
        .isEqualTo(2);
  }

  @Test
  void otherTenantsOfTheSameClaimAreNotHeldUp() throws Exception {
    List<Tenant> several = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      several.add(
          i % 3 == 0
              ? tenantWith(row("now()", "2147483647", "'k'", "'p'"))
              : tenantWith(GOOD.formatted(ODD)));
    }
    Set<String> ran = ConcurrentHashMap.newKeySet();
    try (Worker worker =
        rota.worker().handle("k", task -> ran.add(task.tenant() + " " + task.id())).start()) {
      for (Tenant tenant : several) {
        awaitAll(tenant);
      }
    }
    assertThat(ran).hasSize(8 * 5 + 4 * 4);
  }

  @Test
  void manyOddRowsAreSetAside() throws Exception {
    Tenant tenant = tenantWith(GOOD.formatted(ODD));
    insert(
        tenant,
        "select 1000 + n, now(), null, 2147483647, 'k', 'p', null, null"
            + " from generate_series(1, 2500) n");
    try (Batch batch = tenant.claim(100)) {
      assertThat(batch.tasks()).hasSize(5);
      batch.settle();
    }
    assertThat(fixture.number("select rows from rota.set_aside where tenant = " + tenant.number()))
        .isEqualTo(2_500);
  }

  @Test
  void twoTasksOfOneIdHaveOutcomesOfTheirOwn() throws Exception {
    Tenant tenant = tenantWith(GOOD.formatted(ODD));
    insert(tenant, "select " + GOOD.formatted(ODD));
    try (Batch batch = tenant.claim(100)) {
      List<Task> twins = batch.tasks().stream().filter(task -> task.id() == ODD).toList();
      assertThat(twins).hasSize(2);
      batch.dead(twins.get(0), "first");
      batch.dead(twins.get(1), "second");
      batch.settle();
    }
    assertThat(
            fixture.texts(
                "select error from rota_%1$d.task_hist_%1$d where state = 'dead' order by error"
                    .formatted(tenant.number())))
        .containsExactly("first", "second");
  }

  @Test
  void aKeyOfOneThatIsSetAsideIsFree() throws Exception {
    Tenant tenant = tenantWith(GOOD.formatted(ODD));
    long first = tenant.enqueue(NewTask.of("k", "p").withKey(TaskKey.untilSettled("only")));
    fixture.execute(
        "update rota_%1$d.task_init_%1$d_0 set created_at = null where key = 'only'"
            .formatted(tenant.number()));
    try (Batch batch = tenant.claim(100)) {
      assertThat(batch.tasks()).hasSize(5);
      batch.settle();
    }
    assertThat(tenant.enqueue(NewTask.of("k", "p").withKey(TaskKey.untilSettled("only"))))
        .isNotEqualTo(first);
  }

  private static Tenant tenantWith(String values) throws SQLException {
    Tenant tenant = RotaFixture.tenant(rota, "tenant " + ++tenants);
    insert(tenant, "select " + GOOD.formatted(1) + " union all select " + GOOD.formatted(2));
    insert(tenant, "select " + values);
    insert(tenant, "select " + GOOD.formatted(3) + " union all select " + GOOD.formatted(4));
    return tenant;
  }

  private static void insert(Tenant tenant, String rows) throws SQLException {
    fixture.execute(
        "insert into rota_%1$d.task_init_%1$d_0 (id, created_at, parent_id, attempt, kind, payload, key, traits) "
                .formatted(tenant.number())
            + rows);
  }

  private static void awaitAll(Tenant tenant) throws Exception {
    String left = "select count(*) from rota_%1$d.task_init_%1$d_0".formatted(tenant.number());
    Await.until("nothing is pending", () -> fixture.number(left), 0);
  }

  private static void assertSetAside(Tenant tenant, Set<Long> ran, String reason)
      throws SQLException {
    assertThat(ran).containsExactlyInAnyOrder(1L, 2L, 3L, 4L);
    int number = tenant.number();
    assertThat(
            fixture.texts(
                "select error from rota_%1$d.task_hist_%1$d where state = 'dead'"
                    .formatted(number)))
        .singleElement()
        .asString()
        .contains("set aside, never run: " + reason);
    assertThat(
            fixture.texts(
                "select rows || ' ' || reason from rota.set_aside where tenant = " + number))
        .singleElement()
        .asString()
        .startsWith("1 set aside, never run: " + reason);
    assertThat(tenant.history().scanStates().get(TaskState.RUNNING)).isZero();
    assertThat(tenant.history().page(HistoryFilter.all()).attempts()).hasSize(5);
  }
}
