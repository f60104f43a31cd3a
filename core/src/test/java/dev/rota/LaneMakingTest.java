package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.rota.control.TaskFilter;
import dev.rota.schedule.Schedule;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests the creation of lanes, and that every process finds lanes that another one created. */
@RotaTest
@PostgresVersions({15, 18})
class LaneMakingTest {

  private static final NewTask MAIL = NewTask.of("mail", "{}");
  private static final String TABLES =
      "select relname from pg_class where relnamespace = 'rota_1'::regnamespace"
          + " and relname like 'task\\_init\\_1\\__' and relkind = 'r' order by 1";

  @Given private RotaFixture fixture;
  @Given private Tenant acme;

  @Test
  void manyProcessesMakeALaneOnce() throws Exception {
    int processes = 4;
    ExecutorService threads = Executors.newFixedThreadPool(processes);
    CyclicBarrier together = new CyclicBarrier(processes);
    try {
      List<Future<List<Long>>> futures = new ArrayList<>();
      for (int i = 0; i < processes; i++) {
        Tenant tenant = fixture.another().tenants().get("acme");
        futures.add(
            threads.submit(
                () -> {
                  together.await(30, TimeUnit.SECONDS);
                  return Again.whileLocked(
                      () -> tenant.enqueueAll(List.of(MAIL.priority(1), MAIL.priority(2), MAIL)));
                }));
      }
      for (Future<List<Long>> future : futures) {
        assertThat(future.get(60, TimeUnit.SECONDS)).hasSize(3);
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(fixture.texts("select cardinality(priorities) from rota.tenant"))
        .containsExactly("3");
    assertThat(fixture.texts(TABLES)).hasSize(9);
    assertThat(acme.history().scanStates()).containsEntry(TaskState.PENDING, 12L);
    assertThat(fixture.another().tenants().get("acme").claim(20).tasks()).hasSize(12);
  }

  @Test
  void aProcessThatDoesNotKnowTheLaneYetMissesNothing() throws Exception {
    Set<Long> ran = ConcurrentHashMap.newKeySet();
    Rota consumer = fixture.another(builder -> builder.doorbell(false));
    consumer.tenants().get("acme").claim(1).close();
    try (Worker worker = consumer.worker().handle("mail", task -> ran.add(task.id())).start()) {
      List<Long> ids = acme.enqueueAll(List.of(MAIL, MAIL.priority(4), MAIL.priority(-4)));
      Await.until("all ran", () -> ran.containsAll(ids));
      List<Long> more = acme.enqueueAll(List.of(MAIL.priority(4), MAIL.priority(-4)));
      Await.until("those ran too", () -> ran.containsAll(more));
      assertThat(worker.statistics().done()).isLessThanOrEqualTo(5);
    }
  }

  @Test
  void aStaleProcessReturnsTasksToTheirLanesAndCancelsThem() {
    Tenant stale =
        fixture
            .another(builder -> builder.registryRefresh(Duration.ofMinutes(1)))
            .tenants()
            .get("acme");
    long low = acme.enqueue(MAIL);
    long high = acme.enqueue(MAIL.priority(6));
    acme.claim(10);
    assertThat(stale.control().requeueRunning(Duration.ZERO)).isEqualTo(2);
    assertThat(acme.history().scanAttempts(high)).last().extracting(Attempt::priority).isEqualTo(6);
    assertThat(acme.history().scanAttempts(low)).last().extracting(Attempt::priority).isEqualTo(0);
    assertThat(stale.history().scanStates()).containsEntry(TaskState.PENDING, 2L);
    Tenant staler =
        fixture
            .another(builder -> builder.registryRefresh(Duration.ofMinutes(1)))
            .tenants()
            .get("acme");
    acme.addLane(-6);
    assertThat(acme.control().changePriority(TaskFilter.all().ids(List.of(low)), -6)).isEqualTo(1);
    assertThat(staler.control().changePriority(TaskFilter.all(), 6)).isEqualTo(1);
    acme.enqueue(MAIL.priority(100));
    assertThat(staler.control().cancel(TaskFilter.all(), "")).isEqualTo(3);
  }

  @Test
  void aLaneWhoseMakingFailsIsNotThereAndIsMadeTheNextTime() throws SQLException {
    Faults faults = new Faults();
    faults.after("register lane").loseAnswer();
    Tenant watched = fixture.observed(faults).tenants().get("acme");
    assertThatExceptionOfType(DatabaseException.class)
        .isThrownBy(() -> watched.enqueue(MAIL.priority(3)))
        .withMessageContaining("make the lane of priority 3 of tenant 'acme'");
    assertThat(fixture.texts(TABLES)).hasSize(3);
    assertThat(acme.history().scanStates()).containsEntry(TaskState.PENDING, 0L);
    watched.enqueue(MAIL.priority(3));
    assertThat(acme.history().scanStates()).containsEntry(TaskState.PENDING, 1L);
  }

  @Test
  void aReaderOfTheViewIsWaitedForAndNamed() throws Exception {
    try (Connection reader = fixture.database().connect();
        Statement statement = reader.createStatement()) {
      reader.setAutoCommit(false);
      statement.execute("select * from rota_1.task_init_1");
      assertThatExceptionOfType(DatabaseException.class)
          .isThrownBy(() -> acme.enqueue(MAIL.priority(3)))
          .withMessageContaining("make the lane of priority 3 of tenant 'acme'")
          .withMessageContaining("end transactions that read its view")
          .satisfies(e -> assertThat(e.unavailable()).isTrue());
      acme.enqueue(MAIL);
    }
    acme.enqueue(MAIL.priority(3));
    assertThat(acme.history().scanStates()).containsEntry(TaskState.PENDING, 2L);
  }

  @Test
  void aLaneHasTheGrantsOfTheFirstRing() throws SQLException {
    String role = "producer_of_" + fixture.database().name();
    fixture.execute("create role \"" + role + "\"");
    try {
      fixture.execute("grant insert on rota_1.task_init_1_0 to \"" + role + "\"");
      acme.addLane(2);
      for (int slot = 3; slot < 6; slot++) {
        assertThat(
                fixture.texts(
                    "select has_table_privilege('%s', 'rota_1.task_init_1_%d', 'insert')"
                        .formatted(role, slot)))
            .containsExactly("t");
      }
    } finally {
      fixture.execute("drop owned by \"" + role + "\"; drop role \"" + role + "\"");
    }
  }

  @Test
  void theSqlFunctionUsesALaneThatIsThere() throws SQLException {
    String call = "select rota.enqueue('acme', 'mail', '{}', %s, %s)";
    assertThatExceptionOfType(SQLException.class)
        .isThrownBy(() -> fixture.texts(call.formatted("null", "4")))
        .withMessageContaining("tenant 'acme' has no lane of priority 4")
        .withMessageContaining("rota tenant lane 'acme' --priority 4");
    assertThatExceptionOfType(SQLException.class)
        .isThrownBy(() -> fixture.texts(call.formatted("null", "1001")))
        .withMessageContaining("priority is 1001");
    acme.addLane(4);
    fixture.texts(call.formatted("null", "4"));
    fixture.texts(call.formatted("null", "0"));
    long waiting = fixture.number(call.formatted("now() + interval '1 hour'", "4"));
    assertThat(acme.history().scanAttempts(waiting))
        .extracting(Attempt::priority)
        .containsExactly(4);
    assertThat(acme.claim(10).tasks()).extracting(Task::priority).containsExactly(4, 0);
  }

  @Test
  void aScheduleKeepsThePriorityOfItsTask() {
    acme.schedules().add(Schedule.every("nightly", Duration.ofDays(1), MAIL.priority(5)));
    assertThat(acme.schedules().find("nightly"))
        .hasValueSatisfying(info -> assertThat(info.schedule().task().priority()).isEqualTo(5));
    fixture.another().tenants().get("acme").schedules().run("nightly");
    assertThat(acme.claim(10).tasks()).extracting(Task::priority).containsExactly(5);
  }
}
