package dev.rota.daemon;

import static dev.rota.daemon.DaemonFixture.waiting;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.Batch;
import dev.rota.Given;
import dev.rota.NewTask;
import dev.rota.RotaFixture;
import dev.rota.RotaTest;
import dev.rota.Task;
import dev.rota.TaskState;
import dev.rota.Tenant;
import dev.rota.control.Redrive;
import dev.rota.control.TaskFilter;
import dev.rota.pipeline.Pipeline;
import dev.rota.pipeline.StageResult;
import dev.rota.schedule.Schedule;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests that a daemon makes slots wide for large tasks that came through the wait table. */
@RotaTest
class LargeTaskTest {

  private static final String LARGE = "x".repeat(7_001);
  private static final String ENQUEUE = "select rota.enqueue('acme', 'k', repeat('x', 7001))";
  private static final String TOASTED =
      "select count(*) from pg_class where relnamespace = 'rota_1'::regnamespace and relkind = 'r'"
          + " and relname like 'task\\_init%' and reltoastrelid <> 0";

  @Given private DaemonFixture fixture;
  @Given private Tenant acme;

  private static RotationDaemon.Builder withoutRotation(RotationDaemon.Builder settings) {
    return settings.rotateEvery(Duration.ofDays(7));
  }

  @Test
  void theTaskOfASqlProducerIsPromotedIntoWideSlots() throws Exception {
    fixture.texts(ENQUEUE);
    assertThat(fixture.number(TOASTED)).isZero();
    fixture.daemon(LargeTaskTest::withoutRotation);
    assertRuns(LARGE);
    assertThat(fixture.number(TOASTED)).isEqualTo(3);
    assertThat(fixture.tenant(acme, "wide")).isEqualTo("t");
  }

  @Test
  @Tag("exhaustive")
  void whileADumpReadsASlotOnlyLargeTasksWait() throws Exception {
    Tenant other = RotaFixture.tenant(fixture.rota(), "other");
    try (Connection dump = fixture.begin()) {
      RotaFixture.execute(dump, "lock table rota_1.task_init_1_1 in access share mode");
      fixture.texts(ENQUEUE);
      RotationDaemon daemon = fixture.daemon(LargeTaskTest::withoutRotation);
      wait(acme, 3);
      wait(other, 2);
      Await.until("the small ones are promoted", () -> daemon.statistics().promoted(), 5);
      assertThat(fixture.number("select count(*) from " + waiting(acme))).isOne();
      assertThat(acme.claim(10).tasks()).hasSize(3);
      assertThat(fixture.number(TOASTED)).isZero();
    }
    assertRuns(LARGE);
  }

  private void wait(Tenant tenant, int count) throws SQLException {
    fixture.execute(
        "insert into %s (id, run_at, created_at, attempt, kind, payload)".formatted(waiting(tenant))
            + " select nextval('rota.task_id'), now(), now(), 0, 'k', '{}' from generate_series(1, "
            + count
            + ")");
  }

  @Test
  @Tag("exhaustive")
  void aFailureToMakeThemWideIsRepeated() throws Exception {
    Faults faults = new Faults();
    faults.before("make wide").fail();
    fixture.texts(ENQUEUE);
    fixture.daemon(fixture.observed(faults), LargeTaskTest::withoutRotation);
    assertRuns(LARGE);
    assertThat(fixture.number(TOASTED)).isEqualTo(3);
  }

  @Test
  void aStageOfAPipelineMayHandOnALargePayload() throws Exception {
    Pipeline pipeline = Pipeline.named("mail").stage("read").stage("send").build();
    acme.enqueue(pipeline.task("{}"));
    try (Batch batch = acme.claim(1)) {
      batch.move(batch.tasks().get(0), pipeline, StageResult.next(LARGE));
      batch.settle();
    }
    assertThat(fixture.number("select count(*) from " + waiting(acme))).isOne();
    fixture.daemon(LargeTaskTest::withoutRotation);
    assertRuns(LARGE);
  }

  @Test
  void aScheduleMayHaveALargePayload() throws Exception {
    acme.schedules().add(Schedule.every("hourly", Duration.ofHours(1), NewTask.of("k", LARGE)));
    acme.schedules().run("hourly");
    fixture.daemon(LargeTaskTest::withoutRotation);
    assertRuns(LARGE);
  }

  @Test
  void aLargeTaskIsRetriedReleasedReturnedAndRedriven() throws Exception {
    fixture.daemon(DaemonFixture::quickRing);
    long id = acme.enqueue(NewTask.of("k", LARGE));
    settle(id, batch -> batch.fail(batch.tasks().get(0), "not yet", Duration.ofMillis(1)));
    settle(id, batch -> batch.release(batch.tasks().get(0)));
    visit(id, Batch::close);
    settle(id, batch -> batch.dead(batch.tasks().get(0), "gone"));
    acme.control().redrive(Redrive.all());
    acme.control().changePriority(TaskFilter.all(), 4);
    settle(id, batch -> {});
    assertThat(acme.history().scanStates()).containsEntry(TaskState.DONE, 1L);
    assertThat(fixture.number(TOASTED)).isEqualTo(6);
  }

  @Test
  void slotsStayWideWhenTheyAreTruncated() throws Exception {
    RotationDaemon daemon = fixture.daemon(DaemonFixture::quickRing);
    Await.until(
        "five rotations",
        () -> {
          settle(acme.enqueue(NewTask.of("k", LARGE)), batch -> {});
          return daemon.statistics().rotations() >= 5;
        });
    assertThat(fixture.number(TOASTED)).isEqualTo(3);
    assertThat(
            fixture.number(
                "select count(*) from pg_class where relname ~ '^task_init_1_' and relkind = 'r'"
                    + " and relfilenode <> oid"))
        .isEqualTo(3);
  }

  private void settle(long id, Consumer<Batch> outcome) throws Exception {
    visit(id, outcome.andThen(Batch::settle));
  }

  /** Claims the task with its payload, and reports an outcome. */
  private void visit(long id, Consumer<Batch> outcome) throws Exception {
    Await.until(
        "the task is claimed",
        () -> {
          try (Batch batch = acme.claim(1)) {
            if (batch.tasks().isEmpty()) {
              return false;
            }
            assertThat(batch.tasks().get(0).id()).isEqualTo(id);
            assertThat(batch.tasks().get(0).payload()).isEqualTo(LARGE);
            outcome.accept(batch);
            return true;
          }
        });
  }

  private void assertRuns(String payload) throws Exception {
    Await.until(
        "it runs",
        () -> {
          try (Batch batch = acme.claim(1)) {
            List<String> payloads = batch.tasks().stream().map(Task::payload).toList();
            batch.settle();
            return payloads.equals(List.of(payload));
          }
        });
  }
}
