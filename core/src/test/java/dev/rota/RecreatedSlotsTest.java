package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.testing.Await;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests that a worker finds tasks in slots that were dropped and recreated meanwhile, as by a
 * restore.
 */
@RotaTest
@Tag("exhaustive")
class RecreatedSlotsTest {

  private static final NewTask TASK = NewTask.of("k", "{}");
  private static final int ROUNDS = 5;

  private final AtomicInteger ran = new AtomicInteger();
  @Given private RotaFixture fixture;
  private Tenant producer;

  @BeforeEach
  void open() {
    producer = silent().tenants().register("acme");
  }

  @Test
  void recreatedSlotIsLookedAt() throws Exception {
    try (Worker worker = worker()) {
      runs(ROUNDS);
      recreate("task_init_1_0");
      runs(ROUNDS);
      assertThat(worker.statistics().lost()).isZero();
    }
  }

  /** While a dump is restored, tables are away for a while. */
  @Test
  void slotThatWasMissingIsLookedAt() throws Exception {
    try (Worker worker = worker()) {
      runs(ROUNDS);
      fixture.execute("alter table rota_1.task_init_1_0 rename to away");
      producer = silent().tenants().register("other");
      runs(ROUNDS);
      fixture.execute("create table rota_1.task_init_1_0 (like rota_1.away including all)");
      producer = silent().tenants().get("acme");
      runs(ROUNDS);
      assertThat(worker.statistics().lost()).isZero();
    }
  }

  private void runs(int tasks) throws Exception {
    for (int i = 0; i < tasks; i++) {
      int before = ran.get();
      producer.enqueue(TASK);
      Await.until("a task has run", () -> ran.get(), before + 1);
    }
  }

  private void recreate(String table) throws SQLException {
    fixture.execute(
        "begin; create table rota_1.fresh (like rota_1.%1$s including all);".formatted(table)
            + "drop table rota_1.%1$s cascade; alter table rota_1.fresh rename to %1$s; commit"
                .formatted(table));
  }

  private Worker worker() {
    return silent().worker().handle("k", task -> ran.incrementAndGet()).start();
  }

  /** One that rings no doorbells. */
  private Rota silent() {
    return fixture.another(builder -> builder.doorbell(false));
  }
}
