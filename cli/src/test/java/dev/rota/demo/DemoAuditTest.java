package dev.rota.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Batch;
import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.RotaTest;
import dev.rota.Task;
import dev.rota.Tenant;
import dev.rota.demo.DemoReport.Audit;
import dev.rota.testing.TestDatabase;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Breaks the tables on purpose, and checks that the auditor notices. */
@RotaTest
class DemoAuditTest {

  private static final String ONE_ROW =
      " where ctid = (select min(ctid) from rota_1.task_hist_1_1 where state = 0)";

  private final IdSet enqueued = new IdSet();
  private final HandlerEffects effects = new HandlerEffects(Demo.MAX_ATTEMPTS);
  @Given private TestDatabase database;
  @Given private Rota rota;
  private List<Tenant> tenants;

  @BeforeEach
  void runSomeTasks() {
    tenants = rota.tenants().registerAll(List.of("one", "two"));
    for (Tenant tenant : tenants) {
      tenant.enqueueAll(Collections.nCopies(10, NewTask.of("k", "{}"))).forEach(enqueued::add);
      run(tenant);
    }
  }

  @Test
  void allIsWell() {
    assertFound(0, 0, 0);
    assertThat(audit()).isEqualTo(new Audit(20, 18, 2, 20, new DemoReport.Defects(0, 0, 0)));
  }

  @Test
  void findsARowThatIsGone() throws SQLException {
    database.execute("delete from rota_1.task_hist_1_1" + ONE_ROW);
    assertFound(1, 0, 0);
  }

  @Test
  void findsARowThatIsTwiceInHistory() throws SQLException {
    database.execute(
        "insert into rota_1.task_hist_1_1 select * from rota_1.task_hist_1_1" + ONE_ROW);
    assertFound(0, 1, 0);
  }

  @Test
  void findsATaskLeftInTheRing() {
    tenants.get(0).enqueueAll(List.of(NewTask.of("k", "{}"))).forEach(enqueued::add);
    assertFound(0, 0, 1);
  }

  @Test
  void findsADoneTaskThatIsInTheRingAgain() throws SQLException {
    database.execute(
        "insert into rota_1.task_init_1_0 (id, created_at, parent_id, attempt, kind, payload)"
            + " select id, created_at, parent_id, 0, kind, payload from rota_1.task_hist_1_1"
            + ONE_ROW);
    assertFound(0, 1, 1);
  }

  @Test
  void findsABatchThatIsStillOpen() {
    Tenant tenant = tenants.get(1);
    tenant.enqueueAll(Collections.nCopies(3, NewTask.of("k", "{}"))).forEach(enqueued::add);
    try (Batch batch = tenant.claim(3)) {
      assertThat(batch.tasks()).hasSize(3);
      assertFound(0, 0, 3);
    }
  }

  @Test
  @Tag("exhaustive")
  void findsATaskSettledThoughItsHandlerNeverRan() {
    Tenant tenant = tenants.get(0);
    tenant.enqueueAll(List.of(NewTask.of("k", "{}"))).forEach(enqueued::add);
    try (Batch batch = tenant.claim(1)) {
      batch.settle();
    }
    assertFound(1, 0, 0);
  }

  @Test
  void findsAHandlerThatRanTwice() {
    Tenant tenant = tenants.get(0);
    tenant.enqueueAll(List.of(NewTask.of("k", "{}"))).forEach(enqueued::add);
    try (Batch batch = tenant.claim(1)) {
      batch.tasks().forEach(effects::succeed);
      batch.tasks().forEach(effects::succeed);
      batch.settle();
    }
    assertFound(0, 1, 0);
  }

  @Test
  void findsARowThatNobodyEnqueued() throws SQLException {
    database.execute(
        "insert into rota_1.task_hist_1_1"
            + " (id, batch_id, created_at, parent_id, state, attempt, kind, payload)"
            + " select 77777777, batch_id, created_at, parent_id, 3, attempt, kind, payload"
            + " from rota_1.task_hist_1_1"
            + ONE_ROW);
    assertFound(0, 1, 0);
  }

  /** Nine succeed, one is dead. */
  private void run(Tenant tenant) {
    try (Batch batch = tenant.claim(10)) {
      List<Task> tasks = batch.tasks();
      tasks.subList(1, tasks.size()).forEach(effects::succeed);
      effects.fail(tasks.get(0));
      batch.dead(tasks.get(0), "on purpose");
      batch.settle();
    }
  }

  private void assertFound(long lost, long duplicated, long pending) {
    assertThat(audit().defects()).isEqualTo(new DemoReport.Defects(lost, duplicated, pending));
  }

  private Audit audit() {
    try (var context = DSL.using(database.jdbcUrl())) {
      return new DemoAudit(new DemoTables(context, "rota", tenants)).audit(enqueued, effects);
    }
  }
}
