package dev.rota.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.PostgresVersions;
import dev.rota.Rota;
import dev.rota.RotaTest;
import dev.rota.Tenant;
import dev.rota.internal.DefaultRota;
import dev.rota.internal.Kernel;
import dev.rota.internal.claim.ClaimRequest.ClaimResult;
import dev.rota.internal.claim.ClaimRequest.ClaimResult.RingState;
import dev.rota.internal.settle.ClaimedBatch.BatchEnd;
import dev.rota.testing.Await;
import dev.rota.testing.TestDatabase;
import java.sql.Connection;
import java.sql.Statement;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/**
 * Tests a claim whose statement begins while another consumer has the gate, and takes it as that
 * one commits. Its snapshot still shows the tasks that the other took.
 */
@RotaTest
@PostgresVersions({15, 18})
class LateGateTest {

  private static final int TASKS = 20;
  private static final int OF_OTHER = 4;
  private static final long PASS = 4711;

  @Given private TestDatabase database;
  @Given private Rota rota;
  @Given private Tenant acme;

  @Test
  void aClaimTakesAsManyAsItWants() throws Exception {
    ClaimResult claim = claimBehindAnother(8);
    assertThat(claim.tasks()).hasSize(8);
    assertThat(claim.state()).isEqualTo(RingState.MORE);
  }

  @Test
  void aRingCountsAsEmptyOnlyIfItIs() throws Exception {
    ClaimResult claim = claimBehindAnother(TASKS - 2);
    assertThat(claim.tasks()).hasSize(TASKS - OF_OTHER);
    assertThat(claim.state()).isEqualTo(RingState.EMPTY);
  }

  @Test
  void aClaimWithoutTheGateKnowsNothing() throws Exception {
    acme.enqueueAll(Collections.nCopies(TASKS, NewTask.of("k", "{}")));
    try (Connection other = database.connect()) {
      takeSome(other);
      ClaimResult claim = claim(8);
      assertThat(claim.tasks()).isEmpty();
      assertThat(claim.state()).isEqualTo(RingState.BUSY);
      other.rollback();
    }
  }

  private ClaimResult claimBehindAnother(int most) throws Exception {
    acme.enqueueAll(Collections.nCopies(TASKS, NewTask.of("k", "{}")));
    letClaimsWait();
    ExecutorService claiming = Executors.newSingleThreadExecutor();
    try (Connection other = database.connect();
        Connection door = database.connect()) {
      takeSome(other);
      execute(door, "select pg_advisory_lock(" + PASS + ")");
      Future<ClaimResult> claim = claiming.submit(() -> claim(most));
      Await.until(
          "the statement has its snapshot",
          () ->
              database.number(
                  "select count(*) from pg_locks where locktype = 'advisory' and not granted"
                      + " and objid = "
                      + PASS),
          1);
      other.commit();
      execute(door, "select pg_advisory_unlock(" + PASS + ")");
      return claim.get();
    } finally {
      claiming.shutdown();
    }
  }

  /** Another consumer takes the gate and the first tasks. */
  private void takeSome(Connection other) throws Exception {
    other.setAutoCommit(false);
    int namespace = kernel().settings().lockNamespace();
    execute(other, "select pg_advisory_xact_lock(" + namespace + ", " + acme.number() + ")");
    execute(
        other,
        "delete from rota_1.task_init_1_0 where ctid <= '(0," + OF_OTHER + ")' and ctid > '(0,0)'");
  }

  /** Such a trigger runs when the statement has its snapshot, and before it reads any row. */
  private void letClaimsWait() throws Exception {
    database.execute(
        "create function public.wait_for_pass() returns trigger language plpgsql as $$ begin"
            + " perform pg_advisory_lock_shared("
            + PASS
            + "); perform pg_advisory_unlock_shared("
            + PASS
            + "); return null; end $$");
    database.execute(
        "create trigger waits before insert on rota_1.task_hist_1_1"
            + " for each statement execute function public.wait_for_pass()");
  }

  private ClaimResult claim(int most) {
    int slots = 1; // the first one
    ClaimRequest request = new ClaimRequest(kernel().registry().get(1), most, slots, false);
    return kernel().claimers().claimer(null, BatchEnd.OPEN).claim(List.of(request)).get(0);
  }

  private Kernel kernel() {
    return DefaultRota.kernelOf(rota);
  }

  private static void execute(Connection connection, String sql) throws Exception {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
