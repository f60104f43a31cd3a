package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.rota.control.Redrive;
import dev.rota.control.TaskFilter;
import dev.rota.testing.Faults;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that a row location is only a hint: work that processes a table by blocks finds rows that
 * were moved meanwhile.
 */
@RotaTest
@PostgresVersions(
    value = {15, 18},
    always = true)
@Tag("exhaustive")
class RewrittenTablesTest {

  /** With four rows a block, more than go into one step. */
  private static final int ROWS = 24_000;

  /** The wait table and the two other slots have one step each, and come before the current one. */
  private static final int SECOND_STEP = 5;

  private static final String REFUSES_UPDATES =
      """
      create function public.refuse() returns trigger language plpgsql as 'begin return null; end';
      create trigger refuse before update on rota_1.task_hist_1_1
         for each row execute function public.refuse()""";

  @Given private RotaFixture fixture;
  @Given private Tenant acme;

  /** A table is rewritten before one of several calls of one name. */
  private Tenant acmeBeside(String call, int which, String statement) {
    Faults faults = new Faults();
    faults.before(call).from(which).run(() -> fixture.execute(statement));
    return fixture.observed(faults).tenants().get("acme");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "vacuum full rota_1.task_init_1_0",
        "alter table rota_1.task_init_1_0 set unlogged",
        "create index place on rota_1.task_init_1_0 (id desc);"
            + "cluster rota_1.task_init_1_0 using place"
      })
  void allPendingTasksAreCancelled(String rewrite) throws SQLException {
    fillSlot();
    assertThat(acmeBeside("cancel", SECOND_STEP, rewrite).control().cancel(TaskFilter.all(), ""))
        .isEqualTo(ROWS);
    assertThat(fixture.number("select count(*) from rota_1.task_init_1_0")).isZero();
  }

  @Test
  void allPendingTasksGetAnotherPriority() throws SQLException {
    fillSlot();
    // Calls go through the wait table and two slots before.
    Tenant beside = acmeBeside("change priority", SECOND_STEP, "vacuum full rota_1.task_init_1_0");
    assertThat(beside.control().changePriority(TaskFilter.all(), 7)).isEqualTo(ROWS);
  }

  @Test
  void allDeadTasksRunAgain() throws SQLException {
    fixture.execute(
        "insert into rota_1.task_hist_1_1 (id, batch_id, created_at, finished_at, attempt, state, kind, payload)"
            + " select n, 1, now(), now(), 1, 3, 'k', repeat('x', 1900)"
            + " from generate_series(1, "
            + ROWS
            + ") n");
    Tenant beside = acmeBeside("redrive", 2, "vacuum full rota_1.task_hist_1_1");
    assertThat(beside.control().redrive(Redrive.all())).isEqualTo(ROWS);
    assertThat(acme.control().redrive(Redrive.all())).isZero();
  }

  @Test
  void allRunningTasksAreAskedToEnd() throws SQLException {
    acme.enqueueAll(Collections.nCopies(640, NewTask.of("k", "{}")));
    try (Batch earlier = acme.claim(600)) {
      earlier.tasks().forEach(task -> earlier.dead(task, "no luck"));
      earlier.settle();
    }
    Batch running = acme.claim(40);
    fixture.execute("vacuum full rota_1.task_hist_1_1");
    long first = running.tasks().get(0).id();
    assertThat(acme.control().requestCancel(TaskFilter.all().ids(List.of(first)), "")).isEqualTo(1);
    assertThat(acme.control().requestCancel(TaskFilter.all(), "not wanted")).isEqualTo(39);
    fixture.execute("delete from rota_1.task_hist_1_1 where id = " + first);
    assertThatExceptionOfType(RotaException.class)
        .isThrownBy(() -> acme.control().requestCancel(TaskFilter.all(), ""))
        .withMessageContaining("tenant 'acme' (1)")
        .withMessageContaining("1 tasks of batch " + running.id());
  }

  /** The hint of the next claim lies behind the end of the table that is left. */
  @Test
  void allPendingTasksAreClaimedThoughTheyMovedBeforeTheHint() throws SQLException {
    fillSlot();
    Set<Long> claimed = new HashSet<>();
    for (int i = 0; i < 15; i++) {
      claim(1_000, claimed);
    }
    fixture.execute("vacuum full rota_1.task_init_1_0");
    for (int i = 0; i < 9; i++) {
      claim(1_000, claimed);
    }
    assertThat(claimed).hasSize(ROWS);
  }

  private void claim(int count, Set<Long> claimed) {
    try (Batch batch = acme.claim(count)) {
      assertThat(batch.tasks()).hasSize(count);
      batch.tasks().forEach(task -> claimed.add(task.id()));
      batch.settle();
    }
  }

  @Test
  void newPayloadThatIsNotWrittenIsAnError() throws SQLException {
    acme.enqueue(document(1));
    acme.enqueue(document(2));
    fixture.execute(REFUSES_UPDATES);
    assertThatExceptionOfType(RotaException.class)
        .isThrownBy(() -> acme.claim(1))
        .withMessageContaining("tenant 'acme' (1)")
        .withMessageContaining("1 tasks of batch ")
        .withMessageContaining("and 0 were");
    fixture.execute("drop trigger refuse on rota_1.task_hist_1_1");
    try (Batch batch = acme.claim(1)) {
      assertThat(batch.tasks()).extracting(Task::payload).containsExactly("version 2");
    }
  }

  @Test
  void keyOfATaskThatStaysDeadIsNotTaken() throws SQLException {
    acme.enqueue(NewTask.of("k", "{}").withKey(TaskKey.keptFor("a", Duration.ofHours(1))));
    try (Batch batch = acme.claim(1)) {
      batch.dead(batch.tasks().get(0), "no luck");
      batch.settle();
    }
    fixture.execute(REFUSES_UPDATES);
    assertThatExceptionOfType(RotaException.class)
        .isThrownBy(() -> acme.control().redrive(Redrive.all()))
        .withMessageContaining("tenant 'acme' (1)")
        .withMessageContaining("of 1 tasks with keys")
        .withMessageContaining("1 stayed dead");
    assertThat(fixture.texts("select live::text from rota_1.task_key_1")).containsExactly("false");
  }

  private static NewTask document(long version) {
    return NewTask.of("index", "version " + version).withKey(TaskKey.versioned("doc", version));
  }

  private void fillSlot() throws SQLException {
    fixture.execute(
        "insert into rota_1.task_init_1_0 (id, created_at, attempt, kind, payload)"
            + " select n, now(), 0, 'k', repeat('x', 1900) from generate_series(1, %d) n"
                .formatted(ROWS));
  }
}
