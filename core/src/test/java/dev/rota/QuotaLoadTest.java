package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.limits.QuotaExceededException;
import dev.rota.limits.Scope;
import dev.rota.testing.Await;
import dev.rota.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests a quota with producers of several processes, on all paths, beside workers. The property
 * {@code rota.test.quota} sets another quota, such as 100000.
 */
@RotaTest
@PostgresVersions({15, 18})
@Tag("exhaustive")
class QuotaLoadTest {

  private static final int USUAL_QUOTA = 2_000;
  private static final int QUOTA = Integer.getInteger("rota.test.quota", USUAL_QUOTA);
  private static final int BATCH = 50;
  private static final int PRODUCERS = 8;
  private static final long ROUNDS = 300L * QUOTA / USUAL_QUOTA;
  private static final NewTask TASK = NewTask.of("k", "{}");
  private static final Duration PATIENCE = Duration.ofMinutes(4);

  private final AtomicLong stored = new AtomicLong();
  private final AtomicLong refused = new AtomicLong();
  private final AtomicLong most = new AtomicLong();
  private final AtomicBoolean over = new AtomicBoolean();
  @Given private RotaFixture fixture;

  /** One call of a producer; it returns how many tasks it stored. */
  @FunctionalInterface
  private interface Call {
    int enqueue(Tenant tenant, Connection connection) throws SQLException;
  }

  @Test
  void theQuotaHoldsBesideCallsInFlight() throws SQLException {
    Tenant acme = fixture.tenant("acme");
    fixture
        .rota()
        .controls()
        .changeLimits(Scope.tenant(acme.name()), limits -> limits.maxPending(QUOTA));
    List<Call> calls =
        List.of(
            (tenant, connection) -> tenant.enqueueAll(Collections.nCopies(BATCH, TASK)).size(),
            (tenant, connection) -> tenant.enqueue(TASK) > 0 ? 1 : 0,
            (tenant, connection) -> tenant.enqueue(TASK, PATIENCE) > 0 ? 1 : 0,
            QuotaLoadTest::inOwnTransaction);
    Rota workers = fixture.another();
    List<CompletableFuture<Void>> producers = new ArrayList<>();
    CompletableFuture<Void> watch = InBackground.run(this::watch);
    for (int i = 0; i < PRODUCERS; i++) {
      Call call = calls.get(i % calls.size());
      Tenant tenant = fixture.another().tenants().get("acme");
      Connection connection = fixture.begin();
      producers.add(InBackground.run(() -> produce(call, tenant, connection)));
    }
    try (Worker worker = workers.worker().handle("k", task -> {}).start()) {
      producers.forEach(CompletableFuture::join);
      Await.until("all done", () -> worker.statistics().done(), stored.get());
    }
    over.set(true);
    watch.join();
    System.out.printf(
        "quota %d: at most %d pending, %d stored, %d calls refused%n",
        QUOTA, most.get(), stored.get(), refused.get());
    assertThat(stored.get()).isGreaterThan(QUOTA);
    assertThat(refused.get()).isPositive();
  }

  private static int inOwnTransaction(Tenant tenant, Connection connection) throws SQLException {
    try {
      int count = tenant.enqueueAll(connection, Collections.nCopies(BATCH, TASK)).size();
      connection.commit();
      return count;
    } catch (QuotaExceededException e) {
      connection.rollback();
      throw e;
    }
  }

  private void produce(Call call, Tenant tenant, Connection connection) {
    for (long round = 0; round < ROUNDS; round++) {
      try {
        stored.addAndGet(call.enqueue(tenant, connection));
      } catch (QuotaExceededException e) {
        assertThat(e.allowed()).isEqualTo(QUOTA);
        refused.incrementAndGet();
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** Counts, and not by the counters. */
  private void watch() {
    try (Connection connection = fixture.database().connect()) {
      while (!over.get()) {
        String count =
            TestDatabase.texts(connection, "select count(*) from rota_1.task_init_1").get(0);
        most.accumulateAndGet(Long.parseLong(count), Math::max);
        assertThat(most.get()).isLessThanOrEqualTo(QUOTA + (long) PRODUCERS * BATCH);
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
