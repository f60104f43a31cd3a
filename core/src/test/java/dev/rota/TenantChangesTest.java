package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.rota.Batch.SettleResult;
import dev.rota.internal.DefaultRota;
import dev.rota.internal.schema.RegistryTables;
import dev.rota.internal.schema.TenantDdl;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tests that all processes see changes of the registry, and work correctly until then. */
@RotaTest
class TenantChangesTest {

  private static final NewTask TASK = NewTask.of("k", "{}");

  @Given private static RotaFixture fixture;
  private static Tenants tenants;

  /** Another process that looks at the registry often. */
  private static Rota attentive;

  /** Another process that never looks again while the test runs. */
  private static Rota stale;

  @BeforeAll
  static void open() {
    tenants = fixture.rota().tenants();
    attentive = fixture.another(builder -> builder.registryRefresh(Duration.ofMillis(100)));
    stale = fixture.another(builder -> builder.registryRefresh(Duration.ofMinutes(1)));
  }

  @Test
  void aRenamedTenantKeepsItsHandleAndTasks() {
    Tenant old = tenants.register("before");
    long first = old.enqueue(TASK);
    Tenant renamed = tenants.rename("before", "after");
    assertThat(renamed.number()).isEqualTo(old.number());
    assertThat(old.name()).isEqualTo("after");
    long second = old.enqueue(TASK);
    assertThat(tenants.get("after").claim(10).tasks())
        .extracting(Task::id)
        .containsExactly(first, second);
    assertThat(tenants.find("before")).isEmpty();
  }

  @Test
  void whatWasReadBeforeARenameDoesNotBringTheOldNameBack() {
    Faults faults = new Faults();
    Rota rota = fixture.observed(faults);
    rota.tenants().register("read before").enqueue(TASK);
    faults.after("jooq").run(() -> rota.tenants().rename("read before", "renamed meanwhile"));
    List<TenantRef> read = DefaultRota.kernelOf(rota).registry().loadAll();
    assertThat(read).anyMatch(tenant -> tenant.label().contains("renamed meanwhile"));
    assertThat(rota.tenants().find("read before")).isEmpty();
  }

  @Test
  void anotherProcessSeesARename() throws Exception {
    tenants.register("seen before");
    Tenant elsewhere = attentive.tenants().get("seen before");
    tenants.rename("seen before", "seen after");
    Await.until("the new name is known", () -> attentive.tenants().find("seen after").isPresent());
    Await.until(
        "the old name is forgotten", () -> attentive.tenants().find("seen before").isEmpty());
    assertThat(elsewhere.name()).isEqualTo("seen after");
    assertThat(elsewhere.enqueue(TASK)).isPositive();
  }

  @Test
  void aNameIsNotGivenAwayWhileOthersMayStillUseIt() throws SQLException {
    Tenant first = tenants.register("freed");
    tenants.rename("freed", "no longer freed");
    tenants.register("another one");
    assertThatExceptionOfType(TenantExistsException.class)
        .isThrownBy(() -> tenants.register("freed"))
        .withMessageContaining("'freed'")
        .withMessageContaining("'no longer freed'")
        .withMessageContaining("try again");
    assertThatExceptionOfType(TenantExistsException.class)
        .isThrownBy(() -> tenants.rename("another one", "freed"))
        .withMessageContaining("'no longer freed'");
    fixture.execute("update rota.tenant set renamed_at = renamed_at - interval '61 seconds'");
    assertThat(tenants.register("freed").number()).isNotEqualTo(first.number());
  }

  @Test
  void aNameThatIsTakenIsRefused() {
    tenants.registerAll(List.of("one", "two"));
    assertThatExceptionOfType(TenantExistsException.class)
        .isThrownBy(() -> tenants.rename("one", "two"))
        .withMessageContaining("'two' exists already")
        .withMessageContaining("'one'");
    assertThat(tenants.get("one").number()).isNotEqualTo(tenants.get("two").number());
  }

  @Test
  void aClosedTenantRefusesTasksAndIsWorkedOff() throws Exception {
    Tenant here = tenants.register("closing");
    Tenant there = attentive.tenants().get("closing");
    here.enqueueAll(List.of(TASK, TASK));
    tenants.close("closing");
    tenants.close("closing");
    assertRefused(here);
    Await.until("the other process refuses too", () -> refuses(there));
    assertRefused(there);
    assertThat(here.history().scanStates().get(TaskState.PENDING)).isGreaterThanOrEqualTo(2);
    try (Batch batch = there.claim(10_000)) {
      assertThat(batch.tasks()).hasSizeGreaterThanOrEqualTo(2);
      assertThat(batch.settle().lost()).isZero();
    }

    assertThat(tenants.reopen("closing").enqueue(TASK)).isPositive();
    tenants.reopen("closing");
    Await.until("the other process accepts again", () -> !refuses(there));
  }

  @Test
  void aProducerWithAStaleSlotCostsNoTask() throws SQLException {
    Tenant fresh = fixture.tenant("stale slot");
    Tenant late = stale.tenants().get("stale slot");
    int number = fresh.number();
    for (int slot : new int[] {1, 2}) {
      fixture.execute(
          "update rota.tenant set lane_slots[0] = " + slot + " where number = " + number);
      long id = late.enqueue(TASK);
      assertThat(fixture.number("select id from rota_%1$d.task_init_%1$d_0".formatted(number)))
          .isEqualTo(id);
      Rota upToDate = fixture.another();
      assertThat(upToDate.tenants().get("stale slot").claim(10).tasks())
          .extracting(Task::id)
          .containsExactly(id);
    }
  }

  @Test
  void aProducerFollowsTheSlotWithinTheRefreshInterval() throws Exception {
    int number = fixture.tenant("followed").number();
    Tenant elsewhere = attentive.tenants().get("followed");
    fixture.execute("update rota.tenant set lane_slots[0] = 1 where number = " + number);
    Await.until(
        "a task stands in the new slot",
        () -> {
          elsewhere.enqueue(TASK);
          return fixture.number("select count(*) from rota_%1$d.task_init_%1$d_1".formatted(number))
              > 0;
        });
  }

  @Test
  void aConsumerWithASegmentThatIsGoneClaimsAllTheSame() throws SQLException {
    Tenant fresh = tenants.register("gone segment");
    Tenant late = stale.tenants().get("gone segment");
    long id = fresh.enqueue(TASK);
    replaceSegment(fresh.number());

    try (Batch batch = late.claim(10)) {
      assertThat(batch.tasks()).extracting(Task::id).containsExactly(id);
      assertThat(batch.settle()).isEqualTo(new SettleResult(1, 0));
    }
    assertThat(
            fixture.number(
                "select count(*) from rota_%1$d.task_hist_%1$d_2".formatted(fresh.number())))
        .isOne();
    assertThat(fresh.history().scanAttempts(id))
        .extracting(Attempt::state)
        .containsExactly(TaskState.DONE);
  }

  @Test
  void anErasedTenantIsForgotten() throws Exception {
    int number = fixture.tenant("erased").number();
    Tenant elsewhere = attentive.tenants().get("erased");
    fixture.execute(
        "drop schema rota_%1$d cascade; delete from rota.tenant where number = %1$d"
            .formatted(number));
    Await.until("the name is forgotten", () -> attentive.tenants().find("erased").isEmpty());
    assertThatExceptionOfType(DatabaseException.class)
        .isThrownBy(() -> elsewhere.enqueue(TASK))
        .withMessageContaining("'erased'");
  }

  private static void replaceSegment(int number) throws SQLException {
    RegistryTables tables = new RegistryTables("rota");
    TenantDdl ddl = new TenantDdl(tables);
    fixture.execute(ddl.createSegment(tables.tenant(number), 2));
    fixture.execute(ddl.historyView(tables.tenant(number), List.of(2)));
    fixture.execute(
        """
        insert into rota.segment (tenant, seq) values (%1$d, 2);
        update rota.segment set dropped_at = now() where tenant = %1$d and seq = 1;
        update rota.tenant set current_segment = 2 where number = %1$d;
        drop table rota_%1$d.task_hist_%1$d_1"""
            .formatted(number));
  }

  private static void assertRefused(Tenant tenant) {
    assertThatExceptionOfType(TenantClosedException.class)
        .isThrownBy(() -> tenant.enqueue(TASK))
        .withMessageContaining("'closing'")
        .withMessageContaining("reopen");
    assertThatExceptionOfType(TenantClosedException.class)
        .isThrownBy(() -> tenant.enqueueAsync(TASK).join());
    assertThatExceptionOfType(TenantClosedException.class)
        .isThrownBy(() -> tenant.enqueueAll(List.of(TASK)));
  }

  private static boolean refuses(Tenant tenant) {
    try {
      tenant.enqueue(TASK);
      return false;
    } catch (TenantClosedException e) {
      return true;
    }
  }
}
