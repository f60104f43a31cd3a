package dev.rota.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.RotaTest;
import dev.rota.Tenant;
import dev.rota.internal.DefaultRota;
import dev.rota.internal.Kernel;
import dev.rota.internal.claim.ClaimMemory.ScanHints;
import dev.rota.internal.settle.ClaimedBatch.BatchEnd;
import dev.rota.internal.tenant.TenantRef;
import dev.rota.testing.TestDatabase;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests a worker that starts after a ring was switched, and finds a slot full of dead rows. */
@RotaTest
class EmptySlotsTest {

  private static final int ROWS = 10_000;
  private static final NewTask TASK = NewTask.of("k", "x".repeat(100));

  @Given private TestDatabase database;
  @Given private Rota rota;
  @Given private Tenant acme;

  @Test
  void aClaimDoesNotWalkOverTheDeadRowsOfASlotAgain() throws Exception {
    consumeAndSwitch();
    acme.enqueueAll(Collections.nCopies(20, TASK));
    Claimer claimer = newClaimer();
    assertThat(claim(claimer)).isEqualTo(10);
    long start = hints(claimer).start(0);
    assertThat(start).isEqualTo(blocks() - 4);
    assertThat(claim(claimer)).isEqualTo(10);
    assertThat(hints(claimer).start(0)).isEqualTo(start);
  }

  @Test
  void whatIsInsertedThereLaterIsClaimed() throws Exception {
    consumeAndSwitch();
    acme.enqueueAll(Collections.nCopies(20, TASK));
    Claimer claimer = newClaimer();
    assertThat(claim(claimer)).isEqualTo(10);
    database.execute(
        "insert into rota_1.task_init_1_0 (id, created_at, attempt, kind, payload)"
            + " select nextval('rota.task_id'), now(), 0, 'k', '' from generate_series(1, 10)");
    assertThat(claim(claimer)).as("the oldest come first").isEqualTo(10);
    assertThat(left(0)).isZero();
    assertThat(claim(claimer)).isEqualTo(10);
    assertThat(left(1)).isZero();
  }

  @Test
  void aSmallSlotIsWalkedOver() throws Exception {
    acme.enqueueAll(Collections.nCopies(10, TASK));
    assertThat(claim(newClaimer())).isEqualTo(10);
    switchRing();
    acme.enqueueAll(Collections.nCopies(20, TASK));
    Claimer claimer = newClaimer();
    assertThat(claim(claimer)).isEqualTo(10);
    assertThat(hints(claimer).start(0)).isZero();
    assertThat(hints(claimer).needsLength(0)).as("it was measured").isFalse();
  }

  private void consumeAndSwitch() throws Exception {
    acme.enqueueAll(Collections.nCopies(ROWS, TASK));
    Claimer before = newClaimer();
    for (int claimed = 0; claimed < ROWS; ) {
      claimed += claim(before, 1_000);
    }
    switchRing();
    assertThat(blocks()).isGreaterThan(100);
  }

  private void switchRing() throws Exception {
    database.execute("update rota.tenant set lane_slots[0] = 1 where number = 1");
    kernel().registry().refresh();
  }

  private Claimer newClaimer() {
    return kernel().claimers().claimer(null, BatchEnd.OPEN);
  }

  private int claim(Claimer claimer) {
    return claim(claimer, 10);
  }

  private int claim(Claimer claimer, int most) {
    ClaimRequest request = new ClaimRequest(tenant(), most, ClaimRequest.ALL_SLOTS, false);
    return claimer.claim(List.of(request)).get(0).batch().tasks().size();
  }

  private ScanHints hints(Claimer claimer) {
    return claimer.hintsOf(tenant()).ringOf(0);
  }

  private TenantRef tenant() {
    return kernel().registry().get(1);
  }

  private Kernel kernel() {
    return DefaultRota.kernelOf(rota);
  }

  private long blocks() throws Exception {
    return database.number("select pg_relation_size('rota_1.task_init_1_0') / 8192");
  }

  private long left(int slot) throws Exception {
    return database.number("select count(*) from rota_1.task_init_1_" + slot);
  }
}
