package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.rota.internal.DefaultRota;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import dev.rota.testing.ScriptedFault;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests failures of tasks that share a transaction. */
@Timeout(60)
@RotaTest
class GroupCommitTroubleTest {

  private static final NewTask TASK = NewTask.of("k", "{}");

  /** A backend that waits for a lock while it stores tasks. */
  private static final String STORING =
      "datname = current_database() and wait_event_type = 'Lock'"
          + " and query like '%insert into%task_init%' and pid <> pg_backend_pid()";

  @Given private RotaFixture fixture;

  @Test
  void theTroubleOfOneTenantFailsOnlyItsOwnTasks() throws Exception {
    Faults faults = new Faults();
    ScriptedFault gate = faults.before("enqueue").hold();
    Rota rota = fixture.observed(faults);
    Tenant broken = RotaFixture.tenant(rota, "broken");
    List<Tenant> healthy = rota.tenants().registerAll(List.of("a", "b", "c"));
    fixture.execute("drop schema rota_%d cascade".formatted(broken.number()));

    List<CompletableFuture<Long>> lost = new ArrayList<>();
    List<CompletableFuture<Long>> kept = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      healthy.forEach(tenant -> kept.add(tenant.enqueueAsync(TASK)));
      lost.add(broken.enqueueAsync(TASK));
    }
    gate.awaitReached();
    gate.release();
    for (CompletableFuture<Long> future : kept) {
      assertThat(future.get(30, TimeUnit.SECONDS)).isPositive();
    }
    for (CompletableFuture<Long> future : lost) {
      assertThat(failure(future))
          .hasMessageContaining("'broken'")
          .hasMessageContaining("does not exist")
          .matches(e -> !e.unavailable())
          .matches(e -> !e.outcomeUnknown());
    }
    for (Tenant tenant : healthy) {
      assertThat(tenant.history().scanStates()).containsEntry(TaskState.PENDING, 100L);
    }
  }

  @Test
  void whatIsStoredIsNotStoredAgainWhateverFailsAfterwards() throws Exception {
    Faults faults = new Faults();
    ScriptedFault gate = faults.before("enqueue").hold();
    Rota rota = fixture.observed(faults);
    List<Tenant> tenants = rota.tenants().registerAll(List.of("a", "b"));
    AtomicInteger rings = new AtomicInteger();
    DefaultRota.kernelOf(rota)
        .doorbell()
        .listen(
            tenant -> {
              rings.incrementAndGet();
              throw new OutOfMemoryError("by order of a test");
            });
    List<CompletableFuture<Long>> futures = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      tenants.forEach(tenant -> futures.add(tenant.enqueueAsync(TASK)));
    }
    gate.awaitReached();
    gate.release();
    for (CompletableFuture<Long> future : futures) {
      assertThat(future.get(30, TimeUnit.SECONDS)).isPositive();
    }
    assertThat(tenants.get(0).enqueueAsync(TASK).get(30, TimeUnit.SECONDS)).isPositive();
    assertThat(rings).hasPositiveValue();
    assertThat(tenants.get(0).history().scanStates()).containsEntry(TaskState.PENDING, 11L);
    assertThat(tenants.get(1).history().scanStates()).containsEntry(TaskState.PENDING, 10L);
  }

  @Test
  void aKilledConnectionFailsWhatItCarriedAndLaterTasksSucceed() throws Exception {
    Tenant tenant = fixture.tenant("killed");
    tenant.enqueue(TASK);
    CompletableFuture<Long> victim;
    try (Connection other = fixture.begin()) {
      RotaFixture.execute(
          other, "lock table rota_%1$d.task_init_%1$d_0".formatted(tenant.number()));
      victim = tenant.enqueueAsync(TASK);
      Await.until("it stores the task", () -> storing() == 1);
      fixture.execute("select pg_terminate_backend(pid) from pg_stat_activity where " + STORING);
      Await.until("the backend is gone", () -> storing() == 0);
      other.rollback();
    }
    DatabaseException failure = failure(victim);
    assertThat(failure.unavailable()).isTrue();
    assertThat(failure.outcomeUnknown()).isFalse();
    assertThat(failure).hasMessageContaining("'killed'");
    assertThat(tenant.enqueue(TASK)).isPositive();
    assertThat(tenant.history().scanStates()).containsEntry(TaskState.PENDING, 2L);
  }

  @Test
  void aConnectionKilledBeforeTheInsertIsKnownToHaveStoredNothing() throws Exception {
    Faults faults = new Faults();
    Rota rota = fixture.observed(faults);
    Tenant tenant = RotaFixture.tenant(rota, "refused");
    faults.before("enqueue").fail("57P01");
    assertThatExceptionOfType(DatabaseException.class)
        .isThrownBy(() -> tenant.enqueue(TASK))
        .withMessageContaining("not available")
        .matches(DatabaseException::unavailable)
        .matches(e -> !e.outcomeUnknown());
    assertThat(tenant.history().scanStates()).containsEntry(TaskState.PENDING, 0L);
    assertThat(tenant.enqueue(TASK)).isPositive();
  }

  @Test
  void nobodyPretendsToKnowTheOutcomeOfACommitWithoutAnswer() throws Exception {
    Faults faults = new Faults();
    Rota rota = fixture.observed(faults);
    Tenant tenant = RotaFixture.tenant(rota, "unknown");
    faults.after("commit").inTransactionOf("enqueue").loseAnswer();
    assertThatExceptionOfType(DatabaseException.class)
        .isThrownBy(() -> tenant.enqueue(TASK))
        .withMessageContaining("at COMMIT")
        .withMessageContaining("may or may not")
        .matches(DatabaseException::unavailable)
        .matches(DatabaseException::outcomeUnknown)
        .matches(e -> Arrays.toString(e.getStackTrace()).contains("nobodyPretendsToKnow"));
    faults.after("commit").inTransactionOf("enqueue").loseAnswer();
    assertThatExceptionOfType(DatabaseException.class)
        .isThrownBy(() -> tenant.enqueueAll(List.of(TASK, TASK)))
        .matches(DatabaseException::outcomeUnknown);
    assertThat(tenant.history().scanStates()).containsEntry(TaskState.PENDING, 3L);
    assertThat(tenant.enqueue(TASK)).isPositive();
  }

  @Test
  void evenAnErrorReachesTheProducerAndLeavesTheWritersAlive() {
    Faults faults = new Faults();
    Rota rota = fixture.observed(faults);
    Tenant tenant = RotaFixture.tenant(rota, "error");
    ScriptedFault memory =
        faults.before("enqueue").always().fail(() -> new OutOfMemoryError("on purpose"));
    for (int i = 0; i < 5; i++) {
      CompletableFuture<Long> future = tenant.enqueueAsync(TASK).orTimeout(30, TimeUnit.SECONDS);
      assertThatExceptionOfType(CompletionException.class)
          .isThrownBy(future::join)
          .withRootCauseInstanceOf(OutOfMemoryError.class);
    }
    memory.stop();
    assertThat(tenant.enqueue(TASK)).isPositive();
  }

  @Test
  void aDatabaseThatIsAwayIsReportedAsSuch() {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(fixture.database().jdbcUrl());
    try (HikariDataSource pool = new HikariDataSource(config);
        Rota rota = Rota.builder(pool).build()) {
      Tenant tenant = RotaFixture.tenant(rota, "away");
      tenant.enqueue(TASK);
      pool.getHikariConfigMXBean().setConnectionTimeout(1_000);
      fixture.database().close();
      assertThatExceptionOfType(DatabaseException.class)
          .isThrownBy(() -> tenant.enqueue(TASK))
          .withMessageContaining("'away'")
          .withMessageContaining("not available")
          .matches(DatabaseException::unavailable);
    }
  }

  private long storing() throws SQLException {
    return fixture.number("select count(*) from pg_stat_activity where " + STORING);
  }

  private static DatabaseException failure(CompletableFuture<Long> future) throws Exception {
    try {
      future.orTimeout(30, TimeUnit.SECONDS).join();
      throw new AssertionError("it did not fail");
    } catch (CompletionException e) {
      assertThat(e.getCause()).isInstanceOf(DatabaseException.class);
      return (DatabaseException) e.getCause();
    }
  }
}
