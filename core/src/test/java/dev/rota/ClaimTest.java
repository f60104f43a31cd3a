package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rota.internal.DefaultRota;
import dev.rota.internal.Kernel;
import dev.rota.internal.claim.ClaimRequest;
import dev.rota.internal.claim.ClaimRequest.ClaimResult;
import dev.rota.internal.schema.LedgerDdl;
import dev.rota.internal.schema.TenantDdl;
import dev.rota.internal.settle.ClaimedBatch.BatchEnd;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Tests the tasks, the order and the locks of claims. */
@RotaTest
class ClaimTest {

  private static final int NAMESPACE = 0x726F7461;

  @Given private RotaFixture fixture;
  @Given private Tenant acme;

  @Test
  void aClaimTakesOneToTenThousandTasks() {
    for (int max : List.of(Integer.MIN_VALUE, -1, 0, 10_001)) {
      assertThatThrownBy(() -> acme.claim(max))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("max is " + max);
    }
    acme.enqueueAll(Collections.nCopies(10_002, NewTask.of("k", "{}")));
    assertThat(acme.claim(1).tasks()).hasSize(1);
    assertThat(acme.claim(10_000).tasks()).hasSize(10_000);
    assertThat(acme.claim(10_000).tasks()).hasSize(1);
    assertThat(acme.claim(10_000).tasks()).isEmpty();
  }

  @Test
  void slotsAreClaimedInTheOrderInWhichProducersFilledThem() throws SQLException {
    insert(0, 21, 25);
    insert(1, 1, 5);
    insert(2, 11, 15);

    assertThat(claim(3)).containsExactly(1L, 2L, 3L);
    assertThat(claim(4)).containsExactly(4L, 5L, 11L, 12L);
    assertThat(claim(4)).containsExactly(13L, 14L, 15L, 21L);
    assertThat(claim(100)).containsExactly(22L, 23L, 24L, 25L);
    assertThat(claim(100)).isEmpty();
  }

  /** It would never be claimed, and the ring never rotated, where producers are always ahead. */
  @Test
  void whatIsLeftInTheNextSlotIsClaimedThoughTheOthersHaveEnough() throws Exception {
    insert(0, 1, 10_000);
    insert(1, -1, -1);
    assertThat(claim(1)).containsExactly(-1L);
    insert(1, -2, -2);
    Await.until("it is claimed as well", () -> claim(1).contains(-2L));
    assertThat(fixture.number("select count(*) from rota_1.task_init_1_0")).isPositive();
  }

  @Test
  void aTaskOfAProducerWithAStalePointerIsClaimed() throws SQLException {
    Rota stale = fixture.another(builder -> builder.registryRefresh(Duration.ofMinutes(1)));
    Tenant same = stale.tenants().get("acme");
    fixture.execute("update rota.tenant set lane_slots[0] = 2");
    long id = same.enqueue(NewTask.of("k", "{}"));

    assertThat(fixture.number("select id from rota_1.task_init_1_0")).isEqualTo(id);
    assertThat(fixture.another().tenants().get("acme").claim(10).tasks())
        .extracting(Task::id)
        .containsExactly(id);
  }

  @Test
  void aTaskIsBackAsSoonAsTheGateIsFree() throws SQLException {
    acme.enqueue(NewTask.of("k", "{}"));
    try (Connection other = fixture.database().connect()) {
      other.setAutoCommit(false);
      RotaFixture.texts(
          other, "select pg_advisory_xact_lock(%d, %d)".formatted(NAMESPACE, acme.number()));
      assertThat(claim(10)).isEmpty();
      assertThat(fixture.number("select count(*) from rota_1.task_init_1_0")).isEqualTo(1);

      Rota elsewhere = fixture.another(builder -> builder.lockNamespace(NAMESPACE + 1));
      try (Batch batch = elsewhere.tenants().get("acme").claim(10)) {
        assertThat(batch.tasks()).as("claimed under another namespace").hasSize(1);
      }
      other.rollback();
      assertThat(claim(10)).hasSize(1);
    }
  }

  @Test
  void theGateIsTakenOncePerStatementAndNotPerRow() throws SQLException {
    AtomicLong locks = new AtomicLong();
    AtomicLong gates = new AtomicLong();
    Faults faults = new Faults();
    faults
        .before("open batches")
        .run(
            () -> {
              String held = "select count(*) from pg_locks where pid <> pg_backend_pid()";
              locks.set(fixture.number(held));
              gates.set(fixture.number(held + " and locktype = 'advisory'"));
            });
    Tenant observed = fixture.observed(faults).tenants().get("acme");
    observed.enqueueAll(Collections.nCopies(10_000, NewTask.of("k", "{}")));

    assertThat(observed.claim(10_000).tasks()).hasSize(10_000);
    assertThat(locks.get()).isBetween(4L, 63L);
    assertThat(gates.get()).isEqualTo(1);
  }

  @Test
  void severalTenantsAreClaimedInOneTransaction() throws SQLException {
    Tenant globex = fixture.rota().tenants().register("globex");
    Tenant initech = fixture.rota().tenants().register("initech");
    List<Tenant> tenants = List.of(initech, acme, globex);
    tenants.forEach(tenant -> tenant.enqueueAll(Collections.nCopies(3, NewTask.of("k", "{}"))));
    Kernel kernel = DefaultRota.kernelOf(fixture.rota());
    List<ClaimRequest> requests =
        tenants.stream()
            .map(tenant -> kernel.registry().get(tenant.number()))
            .map(handle -> new ClaimRequest(handle, 2, ClaimRequest.ALL_SLOTS, true))
            .toList();

    List<ClaimResult> claims = kernel.claimers().claimer(null, BatchEnd.OPEN).claim(requests);

    assertThat(claims).extracting(claim -> claim.tenant().number()).containsExactly(1, 2, 3);
    assertThat(claims).allSatisfy(claim -> assertThat(claim.batch().tasks()).hasSize(2));
    assertThat(fixture.texts("select tasks || ' of ' || tenant from rota.task_batch order by id"))
        .containsExactlyInAnyOrder("2 of 1", "2 of 2", "2 of 3");
    assertThat(fixture.number("select count(distinct claimed_at) from rota.task_batch"))
        .isEqualTo(1);
  }

  @Test
  void aTaskThatCommitsLateIsClaimedAllTheSame() throws SQLException {
    try (Connection late = fixture.database().connect()) {
      late.setAutoCommit(false);
      long id = acme.enqueue(late, NewTask.of("late", "{}"));
      acme.enqueueAll(Collections.nCopies(5_000, NewTask.of("k", "{}")));
      assertThat(claim(10_000)).hasSize(5_000).doesNotContain(id);
      assertThat(claim(10_000)).isEmpty();
      late.commit();
      assertThat(claim(10_000)).containsExactly(id);
    }
  }

  @Test
  void historyGetsExactlyWhatLeavesTheRing() throws SQLException {
    List<NewTask> tasks = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      NewTask task = NewTask.of("kind." + i % 7, "{\"n\":" + i + "}");
      tasks.add(i % 3 == 0 ? task.withParent(i) : task);
    }
    acme.enqueueAll(tasks);
    String columns = "select row(id, created_at, parent_id, kind, payload)::text from ";
    List<String> pending = fixture.texts(columns + "rota_1.task_init_1_0 order by id");

    Batch batch = acme.claim(400);
    List<String> claimed = fixture.texts(columns + "rota_1.task_hist_1_1 order by id");
    assertThat(claimed).isEqualTo(pending.subList(0, 400));
    assertThat(fixture.texts(columns + "rota_1.task_init_1_0 order by id"))
        .isEqualTo(pending.subList(400, 500));
    assertThat(
            fixture.texts(
                "select distinct row(batch_id, attempt, state) from rota_1.task_hist_1_1"))
        .containsExactly("(" + batch.id() + ",1,0)");
    assertThat(batch.tasks().get(9).payload()).isEqualTo("{\"n\":9}");
    assertThat(batch.tasks().get(9).parentId()).hasValue(9);
    assertThat(batch.tasks().get(10).parentId()).isEmpty();
  }

  @Test
  void aClaimFindsASegmentThatReplacedTheOneItKnew() throws SQLException {
    Rota stale = fixture.another(builder -> builder.registryRefresh(Duration.ofMinutes(1)));
    Tenant same = stale.tenants().get("acme");
    same.claim(1);
    acme.enqueue(NewTask.of("k", "{}"));
    Kernel kernel = DefaultRota.kernelOf(stale);
    fixture.execute(
        new TenantDdl(kernel.tables()).createSegment(kernel.tables().tenant(1), 2)
            + "; update rota.tenant set current_segment = 2; drop table rota_1.task_hist_1_1 cascade");

    assertThat(same.claim(1).tasks()).hasSize(1);
    assertThat(fixture.number("select count(*) from rota_1.task_hist_1_2")).isEqualTo(1);
  }

  @Test
  void aClaimFindsALedgerThatReplacedTheOneItKnew() throws SQLException {
    Rota stale = fixture.another(builder -> builder.registryRefresh(Duration.ofMinutes(1)));
    Tenant same = stale.tenants().get("acme");
    same.claim(1);
    acme.enqueue(NewTask.of("k", "{}"));
    LedgerDdl ddl = new LedgerDdl(DefaultRota.kernelOf(stale).tables());
    fixture.execute(
        String.join("; ", ddl.createSegment(2))
            + "; insert into rota.ledger_segment (seq) values (2);"
            + ddl.view(List.of(2))
            + "; drop table rota.task_batch_1 cascade");

    assertThat(same.claim(1).settle().settled()).isEqualTo(1);
    assertThat(fixture.number("select ended from rota.task_batch_2")).isEqualTo(1);
    assertThat(fixture.number("select count(*) from rota_1.task_hist_1_1")).isEqualTo(1);
  }

  private List<Long> claim(int max) {
    return acme.claim(max).tasks().stream().map(Task::id).toList();
  }

  private void insert(int slot, int from, int to) throws SQLException {
    String table = "rota_1.task_init_1_" + slot;
    fixture.execute(
        "insert into %s (id, created_at, attempt, kind, payload) select n, now(), 0, 'k', '{}' "
                .formatted(table)
            + "from generate_series(%d, %d) n".formatted(from, to));
  }
}
