package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.rota.Batch.SettleResult;
import dev.rota.control.Redrive;
import dev.rota.control.TaskFilter;
import dev.rota.history.HistoryFilter;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests the order of claims by priority, and the priority of a task over its life, on the oldest
 * and newest server.
 */
@RotaTest
@PostgresVersions({15, 18})
class PriorityTest {

  private static final NewTask MAIL = NewTask.of("mail", "{}");

  @Given private static RotaFixture fixture;
  private static int tenants;

  private Tenant acme;

  @BeforeEach
  void register() {
    acme = fixture.rota().tenants().register("acme " + ++tenants);
  }

  @Test
  void higherPrioritiesAreClaimedFirstAndEachInTheOrderOfItsTasks() {
    List<NewTask> mixed =
        List.of(
            MAIL.priority(-5), MAIL, MAIL.priority(10), MAIL.priority(10), MAIL, MAIL.priority(3));
    List<Long> ids = acme.enqueueAll(mixed);
    try (Batch batch = acme.claim(10)) {
      assertThat(batch.tasks())
          .extracting(Task::id)
          .containsExactly(ids.get(2), ids.get(3), ids.get(5), ids.get(1), ids.get(4), ids.get(0));
      assertThat(batch.tasks()).extracting(Task::priority).containsExactly(10, 10, 3, 0, 0, -5);
      batch.settle();
    }
    assertThat(acme.history().scanAttempts(ids.get(2)))
        .extracting(Attempt::priority)
        .containsExactly(10);
    assertThat(acme.history().scanAttempts(ids.get(1)))
        .extracting(Attempt::priority)
        .containsExactly(0);
    assertThat(acme.history().scanStates()).containsEntry(TaskState.DONE, 6L);
  }

  @Test
  void lowerPrioritiesHaveTheirShareOfEveryClaim() {
    acme.enqueueAll(Collections.nCopies(1_000, MAIL.priority(9)));
    acme.enqueueAll(Collections.nCopies(200, MAIL));
    acme.enqueueAll(Collections.nCopies(200, MAIL.priority(-9)));
    List<Integer> low = new ArrayList<>();
    for (int claim = 0; claim < 6; claim++) {
      try (Batch batch = acme.claim(100)) {
        assertThat(batch.tasks()).hasSize(100);
        assertThat(batch.tasks().subList(0, 90)).allMatch(task -> task.priority() == 9);
        assertThat(batch.tasks().subList(90, 100))
            .allMatch(task -> task.priority() == batch.tasks().get(99).priority());
        low.add(batch.tasks().get(99).priority());
        batch.settle();
      }
    }
    assertThat(low).containsOnly(0, -9);
    assertThat(Collections.frequency(low, 0)).as("they take turns").isEqualTo(3);
  }

  @Test
  void anEmptyHigherLaneTakesNoPartOfTheShare() {
    acme.addLane(50);
    acme.enqueueAll(Collections.nCopies(100, MAIL.priority(9)));
    acme.enqueueAll(Collections.nCopies(100, MAIL));
    try (Batch batch = acme.claim(20)) {
      assertThat(batch.tasks()).filteredOn(task -> task.priority() == 0).hasSize(2);
      batch.settle();
    }
    assertThat(IntStream.range(0, 20).map(i -> claimOne(acme)).filter(p -> p == 0)).hasSize(2);
  }

  @Test
  void singleClaimsAddUpToTheShare() {
    acme.enqueueAll(Collections.nCopies(50, MAIL.priority(9)));
    acme.enqueueAll(Collections.nCopies(50, MAIL));
    assertThat(IntStream.range(0, 40).map(i -> claimOne(acme)).filter(p -> p == 0)).hasSize(4);
  }

  @Test
  void withoutAShareTheLowerOnesWaitAndAnUnusedShareGoesToTheHighest() {
    acme.enqueueAll(Collections.nCopies(30, MAIL.priority(9)));
    acme.enqueueAll(Collections.nCopies(30, MAIL));
    Tenant strict =
        fixture.another(builder -> builder.lowerLanesShare(0)).tenants().get(acme.name());
    assertThat(IntStream.range(0, 30).map(i -> claimOne(strict))).containsOnly(9);
    acme.enqueueAll(Collections.nCopies(40, MAIL.priority(9)));
    acme.control().cancel(TaskFilter.all().kind("none"), "");
    assertThat(acme.control().cancel(TaskFilter.all().createdBefore(java.time.Instant.EPOCH), ""))
        .isZero();
    assertThat(acme.control().changePriority(TaskFilter.all(), 9)).isEqualTo(30);
    try (Batch batch = acme.claim(70)) {
      assertThat(batch.tasks()).hasSize(70).allMatch(task -> task.priority() == 9);
      batch.settle();
    }
  }

  @Test
  void everyWayBackLeadsToTheLaneOfTheTask() throws Exception {
    acme.enqueueAll(List.of(MAIL, MAIL.priority(7), MAIL.priority(-7)));
    List<Integer> all = List.of(7, 0, -7);
    try (Batch batch = acme.claim(10)) {
      batch.tasks().forEach(batch::release);
      batch.settle();
    }
    acme.claim(10).close();
    Batch kept = acme.claim(10);
    assertThat(kept.tasks()).extracting(Task::priority).containsExactlyElementsOf(all);
    assertThat(acme.control().requeueRunning(Duration.ZERO)).isEqualTo(3);
    assertThat(kept.settle()).isEqualTo(new SettleResult(0, 3));
    try (Batch batch = acme.claim(10)) {
      assertThat(batch.tasks()).extracting(Task::priority).containsExactlyElementsOf(all);
      batch.tasks().forEach(task -> batch.fail(task, "no", Duration.ofHours(1)));
      batch.settle();
    }
    assertThat(waitingLanes()).containsExactlyInAnyOrder("0", "1", "2");
    assertThat(acme.control().changePriority(TaskFilter.all(), 7)).isEqualTo(2);
    assertThat(waitingLanes()).containsOnly("1").hasSize(3);
    assertThat(acme.control().changePriority(TaskFilter.all(), 0)).isEqualTo(3);
    assertThat(waitingLanes()).containsOnly("0").hasSize(3);
  }

  @Test
  void deadTasksRunAgainInTheirLane() throws Exception {
    acme.enqueueAll(List.of(MAIL, MAIL.priority(7)));
    for (boolean spread : new boolean[] {false, true}) {
      try (Batch batch = acme.claim(10)) {
        assertThat(batch.tasks()).extracting(Task::priority).containsExactly(7, 0);
        batch.tasks().forEach(task -> batch.dead(task, "dead"));
        batch.settle();
      }
      Redrive all = Redrive.all();
      assertThat(acme.control().redrive(spread ? all.spreadOver(Duration.ofHours(1)) : all))
          .isEqualTo(2);
    }
    assertThat(waitingLanes()).containsExactlyInAnyOrder("0", "1");
  }

  @Test
  void aTaskKeepsItsPriorityWhenItIsCancelled() {
    long pending = acme.enqueue(MAIL.priority(7));
    long waiting = acme.enqueue(MAIL.priority(-7).after(Duration.ofHours(1)));
    assertThat(acme.history().scanAttempts(pending))
        .extracting(Attempt::priority)
        .containsExactly(7);
    assertThat(acme.history().scanAttempts(waiting))
        .extracting(Attempt::priority)
        .containsExactly(-7);
    assertThat(acme.control().cancel(TaskFilter.all(), "")).isEqualTo(2);
    assertThat(acme.history().scanAttempts(pending))
        .extracting(Attempt::priority)
        .containsExactly(7);
    assertThat(acme.history().scanAttempts(waiting))
        .extracting(Attempt::priority)
        .containsExactly(-7);
    assertThat(acme.history().page(HistoryFilter.all()).attempts())
        .extracting(Attempt::priority)
        .containsExactlyInAnyOrder(7, -7);
  }

  @Test
  void pendingTasksChangeTheirPriorityByIdAndKind() {
    List<Long> mails = acme.enqueueAll(Collections.nCopies(4, MAIL));
    acme.enqueueAll(Collections.nCopies(3, NewTask.of("sms", "{}").priority(5)));
    assertThat(acme.control().changePriority(TaskFilter.all().ids(mails.subList(2, 4)), 9))
        .isEqualTo(2);
    assertThat(acme.control().changePriority(TaskFilter.all().kind("sms"), -1)).isEqualTo(3);
    assertThat(acme.control().changePriority(TaskFilter.all().kind("sms"), -1)).isZero();
    assertThat(acme.control().changePriority(TaskFilter.all().kind("none"), 9)).isZero();
    try (Batch batch = acme.claim(10)) {
      assertThat(batch.tasks()).extracting(Task::priority).containsExactly(9, 9, 0, 0, -1, -1, -1);
      assertThat(batch.tasks().subList(0, 4))
          .extracting(Task::id)
          .containsExactly(mails.get(2), mails.get(3), mails.get(0), mails.get(1));
      assertThat(acme.control().changePriority(TaskFilter.all(), 9))
          .as("running ones are left")
          .isZero();
      batch.settle();
    }
  }

  @Test
  void everyWayToEnqueueTakesAPriority() throws SQLException {
    acme.enqueue(MAIL.priority(3));
    acme.enqueueAsync(MAIL.priority(2)).join();
    try (Connection connection = fixture.database().connect()) {
      connection.setAutoCommit(false);
      acme.enqueue(connection, MAIL.priority(1));
      acme.enqueueAll(connection, List.of(MAIL.priority(4), MAIL, MAIL.priority(1)));
      assertThat(acme.claim(10).tasks()).extracting(Task::priority).containsExactly(3, 2);
      connection.commit();
    }
    try (Batch batch = acme.claim(10)) {
      assertThat(batch.tasks()).extracting(Task::priority).containsExactly(4, 1, 1, 0);
    }
  }

  @Test
  void aCallersRollbackTakesTheTaskBackAndLeavesTheLane() throws SQLException {
    try (Connection connection = fixture.database().connect()) {
      connection.setAutoCommit(false);
      acme.enqueue(connection, MAIL.priority(8));
      connection.rollback();
    }
    assertThat(acme.claim(10).tasks()).isEmpty();
    assertThat(lanes()).containsExactly("0,8");
  }

  @Test
  void prioritiesOutOfRangeAreRefusedAndNothingIsMade() throws SQLException {
    assertThatExceptionOfType(InvalidTaskException.class)
        .isThrownBy(() -> acme.enqueueAll(List.of(MAIL, MAIL.priority(1_001))))
        .withMessage("task 1 of the list: priority is 1001; allowed are -1000 to 1000")
        .satisfies(e -> assertThat(e.field()).isEqualTo("priority"));
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> acme.control().changePriority(TaskFilter.all(), Integer.MIN_VALUE))
        .withMessage("priority is -2147483648; allowed are -1000 to 1000");
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> acme.addLane(-1_001));
    assertThat(lanes()).containsExactly("0");
  }

  @Test
  void aTenantHasTenPrioritiesAtMost() {
    IntStream.rangeClosed(1, 9).forEach(acme::addLane);
    acme.addLane(0);
    acme.addLane(5);
    assertThatExceptionOfType(InvalidTaskException.class)
        .isThrownBy(() -> acme.enqueue(MAIL.priority(-1)))
        .withMessageContaining("priority is -1; tenant '" + acme.name() + "'")
        .withMessageContaining("has the priorities 9, 8, 7, 6, 5, 4, 3, 2, 1, 0")
        .withMessageEndingWith("use one of them");
    IntStream.rangeClosed(0, 9).forEach(priority -> acme.enqueue(MAIL.priority(priority)));
    try (Batch batch = acme.claim(10)) {
      assertThat(batch.tasks())
          .extracting(Task::priority)
          .containsExactly(9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    }
  }

  private static int claimOne(Tenant tenant) {
    try (Batch batch = tenant.claim(1)) {
      int priority = batch.tasks().get(0).priority();
      batch.settle();
      return priority;
    }
  }

  private List<String> waitingLanes() throws SQLException {
    return fixture.texts(
        "select coalesce(lane, 0) from rota_%1$d.task_wait_%1$d".formatted(acme.number()));
  }

  private List<String> lanes() throws SQLException {
    return fixture.texts(
        "select array_to_string(priorities, ',') from rota.tenant where number = " + acme.number());
  }
}
