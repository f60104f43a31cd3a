package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.rota.history.HistoryFilter;
import dev.rota.history.HistoryPage;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the pages of a tenant's history. */
@RotaTest
class HistoryPagesTest {

  @Given private static RotaFixture fixture;
  private static int count;
  private Rota rota;
  private Tenant tenant;

  @BeforeEach
  void register() {
    rota = fixture.rota();
    tenant = rota.tenants().register("tenant " + ++count);
  }

  @Test
  void anEmptyHistoryIsOneEmptyPage() {
    tenant.enqueue(NewTask.of("k", "pending"));
    HistoryPage page = tenant.history().page(HistoryFilter.all());
    assertThat(page.attempts()).isEmpty();
    assertThat(page.nextCursor()).isEmpty();
  }

  @Test
  void theNewestComeFirst() {
    List<Long> ids = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      ids.add(tenant.enqueue(NewTask.of("k", "{}")));
    }
    tenant.claim(10).settle();
    HistoryPage page = tenant.history().page(HistoryFilter.all());
    assertThat(page.attempts())
        .extracting(Attempt::taskId)
        .containsExactlyElementsOf(ids.stream().sorted(Comparator.reverseOrder()).toList());
    assertThat(page.nextCursor()).isEmpty();
  }

  @Test
  void filtersNarrowItDown() {
    long email = tenant.enqueue(NewTask.of("email", "{}"));
    long broken = tenant.enqueue(NewTask.of("email", "{}"));
    long index = tenant.enqueue(NewTask.of("index", "{}"));
    try (Batch batch = tenant.claim(10)) {
      batch.dead(batch.tasks().get(1), "broken");
      batch.settle();
    }
    long running = tenant.enqueue(NewTask.of("index", "{}"));
    Batch open = tenant.claim(1);
    HistoryFilter all = HistoryFilter.all();

    assertThat(ids(all)).containsExactly(running, index, broken, email);
    assertThat(ids(all.kind("email"))).containsExactly(broken, email);
    assertThat(ids(all.kind("emai"))).isEmpty();
    assertThat(ids(all.kind("' or true --"))).isEmpty();
    assertThat(ids(all.states(TaskState.DEAD))).containsExactly(broken);
    assertThat(ids(all.taskId(broken))).containsExactly(broken);
    assertThat(ids(all.taskId(broken).states(TaskState.DONE))).isEmpty();
    assertThat(ids(all.taskId(-1))).isEmpty();
    assertThat(ids(all.states(TaskState.DONE, TaskState.RUNNING)))
        .containsExactly(running, index, email);
    assertThat(ids(all.states(TaskState.PENDING))).isEmpty();
    assertThat(ids(all.kind("index").states(TaskState.DONE))).containsExactly(index);

    Instant second = tenant.history().scanAttempts(broken).get(0).createdAt();
    assertThat(ids(all.createdFrom(second))).containsExactly(running, index, broken);
    assertThat(ids(all.createdBefore(second))).containsExactly(email);
    assertThat(ids(all.createdFrom(second).createdBefore(second))).isEmpty();
    assertThat(ids(all.createdFrom(second.plus(Duration.ofDays(1))))).isEmpty();
    open.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 10, 29, 30, 100})
  @Tag("exhaustive")
  void pagesHaveNeitherHolesNorDuplicates(int limit) throws SQLException {
    List<Long> expected = new ArrayList<>();
    for (int segment = 1; segment <= 3; segment++) {
      List<Long> ids = tenant.enqueueAll(tasks(10));
      claimAll();
      openSegment(segment + 1);
      List<Long> newestFirst = new ArrayList<>(ids);
      newestFirst.sort(Comparator.reverseOrder());
      expected.addAll(0, newestFirst);
    }
    assertThat(allIds(HistoryFilter.all().limit(limit))).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5})
  void noAttemptOfATaskThatWasHandedBackIsSkipped(int limit) {
    tenant.enqueueAll(tasks(3));
    for (int i = 0; i < 3; i++) {
      tenant.claim(10).close();
    }
    claimAll();
    List<Attempt> attempts = all(HistoryFilter.all().limit(limit));
    assertThat(attempts).hasSize(12);
    assertThat(attempts).filteredOn(a -> a.state() == TaskState.RELEASED).hasSize(9);
  }

  @Test
  void whatArrivesMeanwhileDoesNotDisturbThePages() {
    List<Long> ids = new ArrayList<>(tenant.enqueueAll(tasks(6)));
    claimAll();
    HistoryFilter pairs = HistoryFilter.all().limit(2);
    List<Long> seen = new ArrayList<>();
    Optional<String> cursor = Optional.empty();
    do {
      HistoryPage page = tenant.history().page(cursor.map(pairs::after).orElse(pairs));
      page.attempts().forEach(attempt -> seen.add(attempt.taskId()));
      cursor = page.nextCursor();
      tenant.enqueueAll(tasks(3));
      claimAll();
    } while (cursor.isPresent());
    ids.sort(Comparator.reverseOrder());
    assertThat(seen).isEqualTo(ids);
  }

  @Test
  void aSegmentThatWasDroppedIsPassedOver() throws SQLException {
    tenant.enqueueAll(tasks(2));
    claimAll();
    openSegment(2);
    List<Long> kept = tenant.enqueueAll(tasks(2));
    claimAll();
    String cursor = tenant.history().page(HistoryFilter.all().limit(1)).nextCursor().orElseThrow();
    Segments.drop(fixture, tenant, 1);
    HistoryPage rest = tenant.history().page(HistoryFilter.all().after(cursor));
    assertThat(rest.attempts()).extracting(Attempt::taskId).containsExactly(kept.get(0));
    assertThat(rest.nextCursor()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "x", "1_2_3", "1_2026-01-01T00:00:00Z_x_1", "1_today_1_1", "_", "1_2_3_4_5"})
  void aCursorOfOnesOwnMakingIsRefused(String cursor) {
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> tenant.history().page(HistoryFilter.all().after(cursor)))
        .withMessageContaining("'" + cursor + "'")
        .withMessageContaining("nextCursor");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, 10_001})
  void aPageOfNoneOrTooManyIsRefused(int limit) {
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> HistoryFilter.all().limit(limit))
        .withMessageContaining("limit is " + limit)
        .withMessageContaining("1 to 10000");
  }

  @Test
  void noStateAtAllIsRefused() {
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> HistoryFilter.all().states(Set.of()))
        .withMessageContaining("name at least one");
  }

  private void claimAll() {
    tenant.claim(10_000).settle();
  }

  private void openSegment(int seq) throws SQLException {
    Segments.open(fixture, tenant, seq);
    // Closing and opening it again makes this process look at once.
    rota.tenants().close(tenant.name());
    rota.tenants().reopen(tenant.name());
  }

  private List<Long> ids(HistoryFilter filter) {
    return tenant.history().page(filter).attempts().stream().map(Attempt::taskId).toList();
  }

  private List<Long> allIds(HistoryFilter filter) {
    return all(filter).stream().map(Attempt::taskId).toList();
  }

  private List<Attempt> all(HistoryFilter filter) {
    List<Attempt> attempts = new ArrayList<>();
    HistoryPage page = tenant.history().page(filter);
    attempts.addAll(page.attempts());
    while (page.nextCursor().isPresent()) {
      assertThat(page.attempts()).hasSize(filter.limit());
      page = tenant.history().page(filter.after(page.nextCursor().get()));
      attempts.addAll(page.attempts());
    }
    return attempts;
  }

  private static List<NewTask> tasks(int number) {
    return IntStream.range(0, number).mapToObj(i -> NewTask.of("k", "{}")).toList();
  }
}
