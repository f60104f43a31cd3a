package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.rota.control.Replay;
import dev.rota.control.ReplayResult;
import dev.rota.history.ArchiveException;
import dev.rota.history.ArchiveUse;
import dev.rota.history.ErrorGroup;
import dev.rota.history.HistoryCounts;
import dev.rota.history.HistoryFilter;
import dev.rota.history.HistoryPage;
import dev.rota.history.RecentAttempts;
import dev.rota.testing.Faults;
import dev.rota.testing.ScriptedFault;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;

/** Tests reads of history that is partly in the database and partly in an archive. */
@ParameterizedClass
@ChosenVersions
class ArchivedHistoryTest {

  private static final HistoryFilter ALL = HistoryFilter.all();
  private static final Duration LONG = Duration.ofMinutes(1);

  private static final Faults FAULTS = new Faults();
  private static RotaFixture fixture;
  private static ArchiveInMemory archive;
  private static Rota rota;
  private static int tenants;

  @Parameter int major;

  private Tenant acme;
  private Tenant unaware;

  @BeforeParameterizedClassInvocation
  static void open(int major) {
    fixture = RotaFixture.onVersion(major);
    archive = new ArchiveInMemory(fixture);
    rota = fixture.observed(FAULTS, builder -> builder.archive(archive));
  }

  @AfterParameterizedClassInvocation
  static void close() {
    fixture.close();
  }

  @BeforeEach
  void fillThreeSegments() throws SQLException {
    acme = rota.tenants().register("acme " + ++tenants);
    unaware = fixture.rota().tenants().get(acme.name());
    for (int segment = 1; segment <= 3; segment++) {
      fill(segment);
      Segments.open(fixture, acme, segment + 1);
      // Closing and opening it again makes this process look at once.
      rota.tenants().close(acme.name());
      rota.tenants().reopen(acme.name());
    }
  }

  /** Of four tasks each, one dies and one fails. */
  private void fill(int segment) {
    for (int i = 0; i < 4; i++) {
      NewTask task = NewTask.of(i % 2 == 0 ? "even" : "odd", "payload " + segment + i);
      acme.enqueue(i == 0 ? task.withHeader("user", "of " + segment) : task);
    }
    try (Batch batch = acme.claim(10)) {
      batch.dead(batch.tasks().get(0), "broken");
      batch.fail(batch.tasks().get(1), new IllegalStateException("slow"));
      batch.settle();
    }
  }

  @Test
  @Tag("exhaustive")
  void pagesGoOnFromTheDatabaseIntoTheArchive() throws SQLException {
    List<Attempt> before = all(acme, 100);
    assertThat(before).hasSize(12);
    archive.move(acme, 1);
    archive.move(acme, 2);

    for (int size : new int[] {1, 3, 4, 5, 12, 100}) {
      assertThat(all(acme, size))
          .extracting(ArchivedHistoryTest::everything)
          .containsExactlyElementsOf(before.stream().map(ArchivedHistoryTest::everything).toList());
    }
  }

  @Test
  @Tag("exhaustive")
  void looksGoOnFromTheDatabaseIntoTheArchiveOneFileEach() throws SQLException {
    List<Object> before =
        all(acme, 100).stream().<Object>map(ArchivedHistoryTest::everything).toList();
    archive.move(acme, 1);
    archive.move(acme, 2);
    for (int size : new int[] {1, 3, 100}) {
      List<Object> found = new ArrayList<>();
      HistoryFilter filter = ALL.limit(size);
      RecentAttempts recent = acme.history().recent(filter, LONG);
      while (recent.nextCursor().isPresent()) {
        assertThat(recent.archive().opened()).hasSizeLessThanOrEqualTo(1);
        recent.attempts().stream().map(ArchivedHistoryTest::everything).forEach(found::add);
        recent = acme.history().recent(filter.after(recent.nextCursor().get()), LONG);
      }
      recent.attempts().stream().map(ArchivedHistoryTest::everything).forEach(found::add);
      assertThat(found).containsExactlyInAnyOrderElementsOf(before);
    }
  }

  @Test
  void looksWithoutAnArchiveNameWhatIsMissing() throws SQLException {
    archive.move(acme, 1);
    archive.move(acme, 2);
    RecentAttempts recent = unaware.history().recent(ALL, LONG);
    assertThat(recent.attempts()).hasSize(4);
    assertThat(recent.nextCursor()).isEmpty();
    assertThat(recent.archive().missed())
        .containsExactly(ArchiveInMemory.key(acme, 2), ArchiveInMemory.key(acme, 1));
  }

  @Test
  @Tag("exhaustive")
  void aPageOpensOnlyTheFilesItNeeds() throws SQLException {
    archive.move(acme, 1);
    archive.move(acme, 2);
    assertThat(acme.history().page(ALL.limit(3)).archive()).isEqualTo(use(List.of(), List.of()));
    assertThat(acme.history().page(ALL.limit(7)).archive())
        .isEqualTo(use(List.of(ArchiveInMemory.key(acme, 2)), List.of()));
    assertThat(acme.history().page(ALL).archive().opened())
        .containsExactly(ArchiveInMemory.key(acme, 2), ArchiveInMemory.key(acme, 1));
  }

  @Test
  @Tag("exhaustive")
  void filesThatCannotHoldWhatIsWantedStayClosed() throws SQLException {
    List<Attempt> before = all(acme, 100);
    Attempt oldest = before.get(before.size() - 1);
    archive.move(acme, 1);
    archive.move(acme, 2);
    Instant secondSegment = before.get(7).createdAt();

    HistoryPage old = acme.history().page(ALL.createdBefore(secondSegment));
    assertThat(old.attempts()).hasSize(4);
    assertThat(old.archive().opened()).containsExactly(ArchiveInMemory.key(acme, 1));
    HistoryPage young = acme.history().page(ALL.createdFrom(before.get(3).createdAt()));
    assertThat(young.attempts()).hasSize(4);
    assertThat(young.archive().opened()).isEmpty();
    HistoryPage one = acme.history().page(ALL.taskId(oldest.taskId()));
    assertThat(one.attempts()).extracting(Attempt::taskId).containsExactly(oldest.taskId());
    assertThat(one.archive().opened()).containsExactly(ArchiveInMemory.key(acme, 1));
  }

  @Test
  @Tag("exhaustive")
  void filtersHoldInTheArchive() throws SQLException {
    archive.move(acme, 1);
    assertThat(acme.history().page(ALL.kind("even").states(TaskState.DEAD)).attempts()).hasSize(3);
    assertThat(acme.history().page(ALL.kind("odd").states(TaskState.DEAD)).attempts()).isEmpty();
    assertThat(acme.history().page(ALL.kind("' or true --")).attempts()).isEmpty();
  }

  @Test
  @Tag("exhaustive")
  void countsAddUpOverBoth() throws SQLException {
    List<HistoryCounts.Count> before = counts(HistoryCounts.Dimension.values());
    archive.move(acme, 1);
    archive.move(acme, 3);
    assertThat(counts(HistoryCounts.Dimension.values())).isEqualTo(before);
    Optional<Instant> none = Optional.empty();
    assertThat(counts()).containsExactly(count(none, null, null, 12));
    assertThat(counts(HistoryCounts.Dimension.KIND))
        .containsExactly(count(none, "even", null, 6), count(none, "odd", null, 6));
    assertThat(counts(HistoryCounts.Dimension.STATE))
        .containsExactlyInAnyOrder(
            count(none, null, TaskState.DONE, 6),
            count(none, null, TaskState.FAILED, 3),
            count(none, null, TaskState.DEAD, 3));
    assertThat(counts(HistoryCounts.Dimension.HOUR))
        .allSatisfy(
            count ->
                assertThat(count.hour().orElseThrow().truncatedTo(ChronoUnit.HOURS))
                    .isEqualTo(count.hour().orElseThrow()));
    assertThat(acme.history().count(ALL.states(TaskState.DEAD)).counts())
        .containsExactly(count(none, null, null, 3));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> acme.history().count(ALL.after("x")))
        .withMessageContaining("counts have no pages");
  }

  @Test
  @Tag("exhaustive")
  void errorGroupsAddUpOverBoth() throws SQLException {
    List<ErrorGroup> before = acme.history().scanErrorGroups(ALL);
    assertThat(before).extracting(ErrorGroup::attempts).containsExactly(3L, 3L);
    archive.move(acme, 1);
    archive.move(acme, 2);
    assertThat(acme.history().scanErrorGroups(ALL)).isEqualTo(before);
    assertThat(acme.history().scanErrorGroups(ALL.limit(1))).isEqualTo(before.subList(0, 1));
  }

  @Test
  void theAttemptsOfOneTaskAreFoundInBoth() throws Exception {
    Attempt failed =
        all(acme, 100).stream()
            .filter(attempt -> attempt.state() == TaskState.FAILED)
            .reduce((first, second) -> second)
            .orElseThrow();
    archive.move(acme, 1);
    Waiting.intoRing(fixture, acme.number());
    acme.claim(10).settle();
    assertThat(acme.history().scanAttempts(failed.taskId()))
        .extracting(Attempt::number, Attempt::state)
        .containsExactly(Tuple.tuple(1, TaskState.FAILED), Tuple.tuple(2, TaskState.DONE));
  }

  @Test
  void whoHasNoArchiveIsToldWhatIsMissing() throws SQLException {
    archive.move(acme, 1);
    HistoryPage page = unaware.history().page(ALL);
    assertThat(page.attempts()).hasSize(8);
    assertThat(page.archive()).isEqualTo(use(List.of(), List.of(ArchiveInMemory.key(acme, 1))));
    assertThat(unaware.history().count(ALL).archive().missed()).hasSize(1);
    List<ArchiveUse> told = new ArrayList<>();
    assertThat(unaware.history().scanErrorGroups(ALL, told::add))
        .isEqualTo(unaware.history().scanErrorGroups(ALL));
    assertThat(unaware.history().scanAttempts(page.attempts().get(0).taskId(), told::add))
        .isNotEmpty();
    assertThat(told.get(0)).isEqualTo(page.archive());
    assertThat(told).hasSize(2);
  }

  @Test
  void usesOfSeveralPagesAreOne() {
    ArchiveUse first = use(List.of("c", "b"), List.of("x"));
    assertThat(ArchiveUse.NONE.and(first).and(use(List.of("b", "a"), List.of("y"))))
        .isEqualTo(use(List.of("c", "b", "a"), List.of("x", "y")));
  }

  @Test
  void whatStandsInBothIsReadFromTheDatabase() throws SQLException {
    archive.copy(acme, 1);
    assertThat(acme.history().page(ALL).attempts()).hasSize(12);
    assertThat(acme.history().page(ALL).archive().opened()).isEmpty();
  }

  @Test
  void whatIsStillBeingWrittenOrDeletedIsNotRead() throws SQLException {
    archive.move(acme, 1);
    fixture.execute("update rota.archive set expired_at = now() where tenant = " + acme.number());
    assertThat(acme.history().page(ALL).attempts()).hasSize(8);
    fixture.execute(
        "update rota.archive set expired_at = null, archived_at = null where tenant = "
            + acme.number());
    assertThat(acme.history().page(ALL).attempts()).hasSize(8);
  }

  @Test
  @Tag("exhaustive")
  void aSegmentThatLeavesMeanwhileIsNeitherMissedNorSeenTwice() throws SQLException {
    archive.copy(acme, 1);
    ScriptedFault dropped =
        FAULTS.after("jooq").byThisThread().run(() -> Segments.drop(fixture, acme, 1));
    assertThat(counts()).extracting(HistoryCounts.Count::attempts).containsExactly(12L);
    assertThat(dropped.isReached()).isTrue();

    archive.copy(acme, 2);
    FAULTS.after("jooq").byThisThread().run(() -> Segments.drop(fixture, acme, 2));
    HistoryPage page = acme.history().page(ALL);
    assertThat(page.attempts()).hasSize(12).doesNotHaveDuplicates();
    assertThat(page.archive().opened())
        .containsExactly(ArchiveInMemory.key(acme, 2), ArchiveInMemory.key(acme, 1));
  }

  @Test
  @Tag("exhaustive")
  void aFileThatCannotBeReadIsNamed() throws SQLException {
    archive.move(acme, 1);
    fixture.execute("update rota.archive set key = 'elsewhere' where tenant = " + acme.number());
    assertThatExceptionOfType(ArchiveException.class)
        .isThrownBy(() -> acme.history().page(ALL))
        .withMessageContaining("elsewhere");
  }

  @Test
  @Tag("exhaustive")
  void tasksOfBothAreReplayed() throws SQLException {
    archive.move(acme, 1);
    archive.move(acme, 2);
    Replay done = Replay.of(ALL.kind("odd").states(TaskState.DONE));
    ReplayResult counted = acme.control().replay(done.dryRun());
    assertThat(counted.tasks()).isEqualTo(3);
    assertThat(counted.archive().opened()).hasSize(2);
    assertThat(acme.history().scanStates()).containsEntry(TaskState.PENDING, 0L);

    List<Attempt> old = acme.history().page(ALL.kind("odd").states(TaskState.DONE)).attempts();
    assertThat(acme.control().replay(done)).isEqualTo(counted);
    try (Batch batch = acme.claim(10)) {
      assertThat(batch.tasks())
          .extracting(Task::kind, Task::payload, task -> task.parentId().orElseThrow())
          .containsExactlyInAnyOrderElementsOf(
              old.stream()
                  .map(was -> Tuple.tuple(was.kind(), was.payload(), was.taskId()))
                  .toList());
      batch.settle();
    }
  }

  @Test
  @Tag("exhaustive")
  void aReplayWithANameCanBeRepeated() throws SQLException {
    archive.move(acme, 1);
    Replay dead = Replay.of(ALL.states(TaskState.DEAD)).once("incident-1");
    assertThat(acme.control().replay(dead).tasks()).isEqualTo(3);
    assertThat(acme.control().replay(dead).tasks()).isEqualTo(3);
    assertThat(acme.history().scanStates()).containsEntry(TaskState.PENDING, 3L);
    acme.claim(10).settle();
    acme.control().replay(dead);
    assertThat(acme.history().scanStates()).containsEntry(TaskState.PENDING, 0L);
    acme.control().replay(Replay.of(ALL.states(TaskState.DEAD)).once("incident-2"));
    assertThat(acme.history().scanStates()).containsEntry(TaskState.PENDING, 3L);
  }

  @Test
  void aReplayThatBreaksIsFinishedByTheNextOneOfItsName() throws SQLException {
    archive.move(acme, 1);
    Replay all = Replay.of(ALL).once("again");
    FAULTS.after("commit").byThisThread().loseAnswer();
    assertThatExceptionOfType(DatabaseException.class).isThrownBy(() -> acme.control().replay(all));
    assertThat(acme.control().replay(all).tasks()).isEqualTo(9);
    assertThat(acme.history().scanStates()).containsEntry(TaskState.PENDING, 9L);
  }

  @Test
  void aReplayMayBeSpread() {
    acme.control().replay(Replay.of(ALL.states(TaskState.DEAD)).spreadOver(Duration.ofDays(1)));
    assertThat(acme.history().scanStates())
        .containsEntry(TaskState.PENDING, 0L)
        .containsEntry(TaskState.WAITING, 6L);
  }

  @Test
  void whatCannotBeReplayedIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Replay.of(ALL.states(TaskState.FAILED)))
        .withMessageContaining("only done, dead and cancelled tasks");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Replay.of(ALL.after("x")))
        .withMessageContaining("a replay has no pages");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Replay.of(ALL).once("a b"))
        .withMessageContaining("1 to 50 characters");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Replay.of(ALL).spreadOver(Duration.ofDays(-1)))
        .withMessageContaining("spreadOver is");
    rota.tenants().close(acme.name());
    assertThatExceptionOfType(TenantClosedException.class)
        .isThrownBy(() -> acme.control().replay(Replay.of(ALL)));
    assertThat(acme.control().replay(Replay.of(ALL).dryRun()).tasks()).isEqualTo(9);
  }

  private static List<Attempt> all(Tenant tenant, int size) {
    List<Attempt> attempts = new ArrayList<>();
    HistoryFilter filter = ALL.limit(size);
    HistoryPage page = tenant.history().page(filter);
    attempts.addAll(page.attempts());
    while (page.nextCursor().isPresent()) {
      page = tenant.history().page(filter.after(page.nextCursor().get()));
      attempts.addAll(page.attempts());
    }
    return attempts;
  }

  private List<HistoryCounts.Count> counts(HistoryCounts.Dimension... by) {
    return acme.history().count(ALL, by).counts();
  }

  private static HistoryCounts.Count count(
      Optional<Instant> hour, String kind, TaskState state, long attempts) {
    return new HistoryCounts.Count(
        hour, Optional.ofNullable(kind), Optional.ofNullable(state), attempts);
  }

  private static ArchiveUse use(List<String> opened, List<String> missed) {
    return new ArchiveUse(opened, missed);
  }

  private static List<Object> everything(Attempt attempt) {
    return List.of(
        attempt.taskId(),
        attempt.number(),
        attempt.kind(),
        attempt.payload(),
        attempt.headers(),
        attempt.key(),
        attempt.priority(),
        attempt.state(),
        attempt.createdAt(),
        attempt.claimedAt(),
        attempt.finishedAt(),
        attempt.error());
  }
}
