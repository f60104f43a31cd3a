package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.rota.graph.TaskGraph;
import dev.rota.testing.Faults;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests that slots get TOAST tables with the first payload that needs one, and lose no task. */
@RotaTest
@PostgresVersions(
    value = {15, 16, 17, 18},
    always = true)
@Tag("exhaustive")
class WideSlotsTest {

  private static final int BOUND = 7_000;
  private static final NewTask SMALL = NewTask.of("mail", "{}");
  private static final NewTask LARGE = NewTask.of("mail", "x".repeat(BOUND + 1));
  private static final String TOASTED =
      "select count(*) from pg_class where relnamespace = 'rota_1'::regnamespace and relkind = 'r'"
          + " and relname like 'task\\_init%' and reltoastrelid <> 0";
  private static final String WAITING = "select count(*) from rota_1.task_wait_1";

  @Given private RotaFixture fixture;
  @Given private Tenant acme;

  @Test
  void aNewTenantHasOneFileForEachSlot() throws SQLException {
    acme.addLane(3);
    assertThat(fixture.number(TOASTED)).isZero();
    assertThat(
            fixture.texts(
                "select distinct reloptions::text from pg_class where relname ~ '^task_init_1_'"))
        .containsExactly("{autovacuum_enabled=off}");
  }

  @Test
  void thePayloadAtTheBoundFitsBesideTheLongestKindAndKey() throws SQLException {
    String kind = "k".repeat(128);
    TaskKey key = TaskKey.keptFor("\u20ac".repeat(166) + "xx", Duration.ofHours(1));
    NewTask fits = NewTask.of(kind, "\u20ac".repeat(2_333) + "x").withKey(key).withParent(7);
    acme.enqueue(fits);
    assertThat(fixture.number(TOASTED)).isZero();
    assertThat(claimed()).containsExactly(fits.payload());
    NewTask larger = NewTask.of(kind, fits.payload() + "x");
    acme.enqueue(larger);
    assertThat(fixture.number(TOASTED)).isEqualTo(3);
    assertThat(claimed()).containsExactly(larger.payload());
  }

  @Test
  void everyWayOfEnqueueMakesTheSlotsWide() throws Exception {
    acme.enqueue(LARGE);
    assertWide("acme", 1);
    Tenant bulk = fixture.tenant("bulk");
    bulk.enqueueAll(List.of(SMALL, LARGE, SMALL));
    assertWide("bulk", 3);
    Tenant async = fixture.tenant("async");
    List<CompletableFuture<Long>> futures = new ArrayList<>();
    for (NewTask task : List.of(SMALL, LARGE, SMALL, LARGE.priority(2))) {
      futures.add(async.enqueueAsync(task));
    }
    for (CompletableFuture<Long> future : futures) {
      future.get(30, TimeUnit.SECONDS);
    }
    assertWide("async", 4);
    Tenant callers = fixture.tenant("callers");
    try (Connection connection = fixture.begin()) {
      callers.enqueue(connection, LARGE);
      connection.commit();
    }
    assertWide("callers", 1);
    fixture.tenant("delayed").enqueue(LARGE.after(Duration.ofHours(1)));
    assertWide("delayed", 1);
    fixture.tenant("versions").enqueue(LARGE.withKey(TaskKey.versioned("doc", 1)));
    assertWide("versions", 1);
  }

  private void assertWide(String tenant, int tasks) throws SQLException {
    int number = fixture.tenant(tenant).number();
    assertThat(fixture.number(TOASTED.replace("rota_1", "rota_" + number)))
        .as(tenant)
        .isGreaterThanOrEqualTo(3);
    assertThat(fixture.number("select count(*) from rota_%1$d.task_init_%1$d".formatted(number)))
        .as(tenant)
        .isEqualTo(tasks);
    assertThat(fixture.texts("select wide from rota.tenant where number = " + number))
        .as(tenant)
        .containsExactly("t");
  }

  @Test
  void aChildOfAGraphFindsWideSlotsWhenItBegins() throws SQLException {
    TaskGraph.Builder builder = TaskGraph.builder();
    TaskGraph.Node parent = builder.add(SMALL);
    builder.add(LARGE).dependsOn(parent);
    acme.graphs().enqueue(builder.build());
    assertThat(fixture.number(TOASTED)).isEqualTo(3);
    assertThat(claimed()).containsExactly(SMALL.payload());
    assertThat(claimed()).containsExactly(LARGE.payload());
  }

  @Test
  void allLanesBecomeWideAndLaterOnesAreMadeSo() throws SQLException {
    acme.addLane(3);
    acme.enqueue(LARGE);
    assertThat(fixture.number(TOASTED)).isEqualTo(6);
    fixture.another().tenants().get("acme").addLane(5);
    assertThat(fixture.number(TOASTED)).isEqualTo(9);
    assertThat(
            fixture.texts(
                "select distinct t.reloptions::text from pg_class c join pg_class t"
                    + " on t.oid = c.reltoastrelid where c.relname ~ '^task_init_1_'"))
        .containsExactly("{autovacuum_enabled=off}");
    acme.enqueueAll(List.of(LARGE.priority(3), LARGE.priority(5)));
    assertThat(claimed()).hasSize(3);
  }

  @Test
  void anotherProcessThatDoesNotKnowYetLosesNothing() throws SQLException {
    Tenant stale = slow();
    stale.enqueue(SMALL);
    acme.enqueue(LARGE);
    stale.enqueue(LARGE);
    assertThat(claimed()).hasSize(3);
  }

  @Test
  void twoProducersAtOnceBothSucceed() throws Exception {
    List<CompletableFuture<Long>> futures = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Tenant each = slow();
      futures.add(InBackground.supply(() -> each.enqueue(LARGE)));
    }
    for (CompletableFuture<Long> future : futures) {
      future.get(60, TimeUnit.SECONDS);
    }
    assertThat(fixture.number(TOASTED)).isEqualTo(3);
    assertThat(fixture.number("select count(*) from rota_1.task_init_1")).isEqualTo(4);
  }

  @Test
  void whileAnotherSessionReadsASlotLargeTasksGoThroughTheWaitTable() throws Exception {
    Tenant other = fixture.tenant("other");
    try (Connection reader = fixture.begin()) {
      RotaFixture.execute(reader, "lock table rota_1.task_init_1_2 in access share mode");
      CompletableFuture<Long> large = acme.enqueueAsync(LARGE);
      CompletableFuture<Long> small = acme.enqueueAsync(SMALL);
      CompletableFuture<Long> others = other.enqueueAsync(SMALL);
      assertThat(large.get(30, TimeUnit.SECONDS)).isPositive();
      small.get(30, TimeUnit.SECONDS);
      others.get(30, TimeUnit.SECONDS);
      acme.enqueueAll(List.of(LARGE, SMALL));
      assertThat(fixture.number(TOASTED)).isZero();
      assertThat(fixture.number(WAITING)).isEqualTo(2);
      assertThat(claimed()).containsExactly("{}", "{}");
      assertThat(other.claim(10).tasks()).hasSize(1);
    }
    assertThat(fixture.number("select count(*) from rota_1.task_init_1 where run_at <= now()"))
        .isEqualTo(2);
  }

  @Test
  void whatCannotWaitTellsWhoIsInTheWay() throws Exception {
    TaskGraph.Builder builder = TaskGraph.builder();
    builder.add(LARGE);
    TaskGraph graph = builder.build();
    try (Connection reader = fixture.begin()) {
      RotaFixture.execute(reader, "lock table rota_1.task_init_1_2 in access share mode");
      assertThatExceptionOfType(DatabaseException.class)
          .isThrownBy(() -> acme.graphs().enqueue(graph))
          .withMessageContaining("make the slots of tenant 'acme' (1) wide")
          .withMessageContaining("a payload of more than 7000 bytes")
          .withMessageContaining(
              "end transactions that read them or enqueued there, such as a dump")
          .satisfies(e -> assertThat(e.unavailable()).isTrue());
      assertThatExceptionOfType(DatabaseException.class)
          .isThrownBy(() -> acme.enqueue(LARGE.withKey(TaskKey.versioned("doc", 1))))
          .withMessageContaining("make the slots of tenant 'acme' (1) wide");
    }
    acme.graphs().enqueue(graph);
    assertThat(claimed()).containsExactly(LARGE.payload());
  }

  @Test
  void aProducerThatHasEnqueuedInItsTransactionIsNotInItsOwnWay() throws Exception {
    try (Connection connection = fixture.begin()) {
      acme.enqueue(connection, SMALL);
      acme.enqueue(connection, LARGE);
      connection.commit();
    }
    assertThat(fixture.number(WAITING)).isOne();
    assertThat(claimed()).containsExactly(SMALL.payload());
  }

  @Test
  void aFailureToMakeThemWideSendsTheTaskThroughTheWaitTable() throws Exception {
    Faults faults = new Faults();
    faults.before("make wide").fail();
    Tenant watched = fixture.observed(faults).tenants().get("acme");
    watched.enqueue(LARGE);
    assertThat(fixture.number(WAITING)).isOne();
    assertThat(fixture.number(TOASTED)).isZero();
    acme.enqueue(LARGE);
    assertThat(fixture.number(TOASTED)).isEqualTo(3);
  }

  @Test
  void anAnswerThatIsLostLeavesTheSlotsNarrowOrWideAndTheTaskStored() throws Exception {
    Faults faults = new Faults();
    faults.after("make wide").loseAnswer();
    Tenant watched = fixture.observed(faults).tenants().get("acme");
    watched.enqueue(LARGE);
    assertThat(fixture.number("select count(*) from rota_1.task_init_1")).isOne();
  }

  @Test
  void sqlProducersUseTheWaitTableUntilTheSlotsAreWide() throws SQLException {
    String large = "'mail', repeat('x', " + (BOUND + 1) + ")";
    fixture.texts("select rota.enqueue('acme', " + large + ")");
    fixture.texts("select rota.enqueue('acme', " + large + ", null)");
    fixture.texts("select rota.enqueue('acme', " + large + ", null, 0)");
    fixture.texts("select rota_1.enqueue(" + large + ")");
    fixture.texts("select rota_1.enqueue('mail', repeat('x', " + BOUND + "))");
    assertThat(fixture.number(WAITING)).isEqualTo(4);
    assertThat(fixture.number(TOASTED)).isZero();
    acme.enqueue(LARGE);
    fixture.texts("select rota.enqueue('acme', " + large + ")");
    fixture.texts("select rota.enqueue('acme', " + large + ", null)");
    fixture.texts("select rota.enqueue('acme', " + large + ", null, 0)");
    assertThat(fixture.number(WAITING)).isEqualTo(4);
    assertThat(claimed()).hasSize(5);
  }

  @Test
  void aTenantOfARestoredDumpHasColumnsThatDecide() throws SQLException {
    // A dump makes the TOAST tables and then says that no column uses them.
    fixture.execute("alter table rota_1.task_init_1_0 alter column payload set storage extended");
    fixture.execute("alter table rota_1.task_init_1_0 alter column payload set storage plain");
    assertThat(fixture.number(TOASTED)).isPositive();
    acme.enqueue(LARGE);
    assertThat(claimed()).containsExactly(LARGE.payload());
  }

  /** The tenant in a process that does not notice changes of others. */
  private Tenant slow() {
    return fixture
        .another(builder -> builder.registryRefresh(Duration.ofMinutes(1)))
        .tenants()
        .get("acme");
  }

  private List<String> claimed() {
    try (Batch batch = acme.claim(100)) {
      List<String> payloads = batch.tasks().stream().map(Task::payload).toList();
      batch.settle();
      return payloads;
    }
  }
}
