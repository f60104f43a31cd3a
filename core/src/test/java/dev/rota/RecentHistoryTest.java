package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.rota.history.HistoryFilter;
import dev.rota.history.RecentAttempts;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests bounded looks into history, on the oldest and the newest server. */
@RotaTest
@PostgresVersions({15, 18})
class RecentHistoryTest {

  private static final Duration LONG = Duration.ofMinutes(1);
  private static final HistoryFilter ALL = HistoryFilter.all();

  @Given private RotaFixture fixture;
  @Given private Tenant acme;

  @Test
  void emptyHistoryIsLookedAtWhole() {
    RecentAttempts recent = acme.history().recent(ALL, LONG);
    assertThat(recent.attempts()).isEmpty();
    assertThat(recent.nextCursor()).isEmpty();
    assertThat(recent.looked().estimatedAll()).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 7, 100})
  @Tag("exhaustive")
  void looksFindTheSameAttemptsAsPages(int limit) throws SQLException {
    fill();
    List<Attempt> found = looks(ALL.limit(limit), LONG);
    assertThat(found)
        .extracting(RecentHistoryTest::everything)
        .containsExactlyInAnyOrderElementsOf(
            acme.history().page(ALL).attempts().stream()
                .map(RecentHistoryTest::everything)
                .toList())
        .hasSize(12);
    assertThat(found.get(0).kind()).as("written last").isEqualTo("last");
  }

  @ParameterizedTest
  @EnumSource(
      value = TaskState.class,
      names = {"DONE", "RUNNING", "FAILED", "DEAD", "RELEASED", "CANCELLED", "LOST", "PENDING"})
  @Tag("exhaustive")
  void statesAreTold(TaskState state) throws SQLException {
    fill();
    HistoryFilter filter = ALL.states(state);
    assertThat(looks(filter, LONG))
        .extracting(Attempt::taskId)
        .containsExactlyInAnyOrderElementsOf(
            acme.history().page(filter).attempts().stream().map(Attempt::taskId).toList());
  }

  @Test
  void filtersNarrowItDown() throws SQLException {
    fill();
    Attempt last = looks(ALL.kind("last"), LONG).get(0);
    assertThat(looks(ALL.taskId(last.taskId()), LONG)).hasSize(1);
    assertThat(looks(ALL.createdFrom(last.createdAt()), LONG)).hasSize(1);
    assertThat(looks(ALL.createdBefore(last.createdAt()), LONG)).hasSize(11);
    assertThat(looks(ALL.kind("none"), LONG)).isEmpty();
  }

  @Test
  @Tag("exhaustive")
  void budgetBoundsALookThatTellsHowFarItWent() throws SQLException {
    acme.enqueue(NewTask.of("first", ""));
    try (Batch batch = acme.claim(1)) {
      batch.dead(batch.tasks().get(0), "broken");
      batch.settle();
    }
    fixture.execute(
        "insert into rota_1.task_hist_1_1 (id, batch_id, created_at, attempt, state, kind, payload)"
            + " select n, 0, now(), 1, 1, 'many', '' from generate_series(1, 300000) n");
    Duration shortest = Duration.ofMillis(1);
    HistoryFilter dead = ALL.states(TaskState.DEAD);
    RecentAttempts first = acme.history().recent(dead, shortest);
    assertThat(first.attempts()).isEmpty();
    assertThat(first.nextCursor()).isPresent();
    assertThat(first.looked().backTo()).isPresent();
    List<Long> looked = new ArrayList<>();
    assertThat(looks(dead, shortest, looked)).extracting(Attempt::kind).containsExactly("first");
    assertThat(looked).isSorted().hasSizeGreaterThan(3);
    assertThat(looked.get(0)).isLessThan(looked.get(looked.size() - 1));
    assertThat(acme.history().recent(ALL.limit(2), shortest).attempts())
        .extracting(Attempt::taskId)
        .containsExactly(300_000L, 299_999L);
  }

  @Test
  void segmentThatWasDroppedIsPassedOver() throws SQLException {
    for (int segment = 1; segment <= 3; segment++) {
      run("in " + segment);
      Segments.open(fixture, acme, segment + 1);
      fixture.rota().tenants().close("acme");
      fixture.rota().tenants().reopen("acme");
    }
    RecentAttempts first = acme.history().recent(ALL.limit(1), LONG);
    assertThat(first.attempts()).extracting(Attempt::kind).containsExactly("in-3");
    Segments.drop(fixture, acme, 2);
    Segments.drop(fixture, acme, 3);
    RecentAttempts next = after(first);
    assertThat(next.attempts()).extracting(Attempt::kind).containsExactly("in-1");
    assertThat(after(next).nextCursor()).isEmpty();
  }

  @Test
  @Tag("exhaustive")
  void segmentWithoutATableIsPassedOver() throws SQLException {
    run("one");
    fixture.execute("insert into rota.segment (tenant, seq) values (1, 2), (1, 3)");
    assertThat(looks(ALL.limit(1), Duration.ofMillis(1)))
        .extracting(Attempt::kind)
        .containsExactly("one");
  }

  @Test
  void rewrittenSegmentIsAClearError() throws SQLException {
    run("one");
    run("two");
    RecentAttempts first = acme.history().recent(ALL.limit(1), LONG);
    fixture.execute("vacuum full rota_1.task_hist_1_1");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> after(first))
        .withMessageContaining("is of a segment that was rewritten since; begin without a cursor");
  }

  @Test
  void cursorsAndBudgetsAreChecked() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> acme.history().recent(ALL.after("x"), LONG))
        .withMessageContaining("cursor 'x' is not one that");
    for (Duration budget : List.of(Duration.ZERO, LONG.plusMillis(1))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> acme.history().recent(ALL, budget))
          .withMessage("the budget is " + budget + "; use one from a millisecond to a minute");
    }
  }

  /** Attempts in all states, with all that an attempt may have. */
  private void fill() throws SQLException {
    acme.addLane(5);
    acme.enqueueAll(Collections.nCopies(5, NewTask.of("many", "{}")));
    acme.enqueue(NewTask.of("urgent", "{}").priority(5).withHeader("user", "jo"));
    acme.enqueue(NewTask.of("keyed", "{}").withKey("one"));
    try (Batch batch = acme.claim(2)) {
      batch.settle();
    }
    try (Batch batch = acme.claim(3)) {
      batch.dead(batch.tasks().get(0), "broken");
      batch.fail(batch.tasks().get(1), "slow", Duration.ofHours(1));
      batch.settle();
    }
    Batch running = acme.claim(2);
    assertThat(running.tasks()).hasSize(2);
    acme.enqueueAll(Collections.nCopies(4, NewTask.of("later", "{}")));
    try (Batch batch = acme.claim(4)) {
      assertThat(batch.tasks()).hasSize(4);
    }
    fixture.execute(
        "delete from rota_1.task_init_1_0; update rota_1.task_hist_1_1 set state = 4, error = 'stop'"
            + " where id = (select min(id) from rota_1.task_hist_1_1 where kind = 'later')");
    run("last");
  }

  private void run(String kind) {
    acme.enqueue(NewTask.of(kind.replace(' ', '-'), "{}"));
    acme.claim(1).settle();
  }

  private RecentAttempts after(RecentAttempts before) {
    HistoryFilter next = ALL.limit(1).after(before.nextCursor().orElseThrow());
    return acme.history().recent(next, LONG);
  }

  private List<Attempt> looks(HistoryFilter filter, Duration budget) {
    return looks(filter, budget, new ArrayList<>());
  }

  /** Looks until all history was looked at, and records how far each look went. */
  private List<Attempt> looks(HistoryFilter filter, Duration budget, List<Long> looked) {
    List<Attempt> found = new ArrayList<>();
    Optional<String> cursor = Optional.empty();
    do {
      RecentAttempts recent =
          acme.history().recent(cursor.map(filter::after).orElse(filter), budget);
      assertThat(recent.attempts()).hasSizeLessThanOrEqualTo(filter.limit());
      found.addAll(recent.attempts());
      looked.add(recent.looked().estimated());
      cursor = recent.nextCursor();
    } while (cursor.isPresent());
    return found;
  }

  private static List<Object> everything(Attempt attempt) {
    return List.of(
        attempt.taskId(),
        attempt.state(),
        attempt.number(),
        attempt.kind(),
        attempt.payload(),
        attempt.headers(),
        attempt.key(),
        attempt.priority(),
        attempt.createdAt(),
        attempt.claimedAt(),
        attempt.finishedAt(),
        attempt.error(),
        attempt.stack());
  }
}
