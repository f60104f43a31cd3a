package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rota.assignment.Assignment;
import dev.rota.assignment.AssignmentResult.AlreadyAssigned;
import dev.rota.assignment.AssignmentResult.Assigned;
import dev.rota.assignment.AssignmentResult.Busy;
import dev.rota.assignment.AssignmentResult.Reason;
import dev.rota.assignment.PairPool;
import dev.rota.assignment.TaskPool;
import dev.rota.assignment.WorkerPool;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests the answers of pools, one request after the other, on the oldest and newest server. */
@RotaTest
@PostgresVersions({15, 18})
class AssignmentTest {

  private static final Busy NONE_FREE = new Busy(Reason.NONE_FREE);
  private static final Busy CONTENDED = new Busy(Reason.CONTENDED);

  @Given private static RotaFixture fixture;
  private static int count;

  private Tenant acme;

  @BeforeEach
  void register() {
    acme = fixture.rota().tenants().register("tenant " + ++count);
  }

  @Test
  void aTaskGetsAFreeWorkerAndKeepsIt() {
    WorkerPool crawlers = acme.assignments().workers("crawlers");
    assertThat(crawlers.assign(7)).isEqualTo(NONE_FREE);
    assertThat(crawlers.add(List.of(1L, 2L, 2L))).isEqualTo(2);

    Assignment seven = crawlers.assign(7).made().orElseThrow();
    assertThat(seven.task()).isEqualTo(7);
    assertThat(seven.worker()).isBetween(1L, 2L);
    assertThat(crawlers.assign(7)).isEqualTo(new AlreadyAssigned(seven));
    assertThat(crawlers.assign(7).made()).isEmpty();
    Assignment eight = crawlers.assign(8).made().orElseThrow();
    assertThat(eight.worker()).isEqualTo(3 - seven.worker());
    assertThat(crawlers.assign(9)).isEqualTo(NONE_FREE);
    assertThat(crawlers.countFree()).isZero();

    assertThat(crawlers.findByTask(7)).contains(seven);
    assertThat(crawlers.findByWorker(eight.worker())).contains(eight);
    assertThat(crawlers.findByTask(9)).isEmpty();

    assertThat(crawlers.release(seven)).isTrue();
    assertThat(crawlers.release(seven)).isFalse();
    assertThat(crawlers.findByTask(7)).isEmpty();
    assertThat(crawlers.assign(9).made()).map(Assignment::worker).contains(seven.worker());
  }

  @Test
  void aWorkerGetsAFreeTaskUntilAllAreDone() {
    TaskPool pages = acme.assignments().tasks("pages");
    assertThat(pages.add(LongStream.rangeClosed(1, 5).boxed().toList())).isEqualTo(5);
    Set<Long> given = new HashSet<>();
    for (long worker = 100; worker < 105; worker++) {
      Assignment got = pages.assign(worker).made().orElseThrow();
      assertThat(got.worker()).isEqualTo(worker);
      given.add(got.task());
      assertThat(pages.assign(worker)).isEqualTo(new AlreadyAssigned(got));
    }
    assertThat(given).containsExactlyInAnyOrder(1L, 2L, 3L, 4L, 5L);
    assertThat(pages.assign(105)).isEqualTo(NONE_FREE);

    Assignment ended = pages.findByTask(1).orElseThrow();
    assertThat(pages.release(ended)).isTrue();
    Assignment again = pages.assign(105).made().orElseThrow();
    assertThat(again.task()).isEqualTo(1);
    assertThat(pages.finish(ended)).isFalse();
    assertThat(pages.finish(again)).isTrue();
    assertThat(pages.finish(again)).isFalse();
    assertThat(pages.assign(105)).isEqualTo(NONE_FREE);
    assertThat(pages.add(List.of(1L))).isEqualTo(1);
  }

  @Test
  void aPairIsMadeIfBothAreFree() {
    PairPool crews = acme.assignments().pairs("crews");
    Assignment pair = crews.assign(1, 7).made().orElseThrow();
    assertThat(pair).extracting(Assignment::worker, Assignment::task).containsExactly(1L, 7L);
    assertThat(crews.assign(1, 7)).isEqualTo(new AlreadyAssigned(pair));
    assertThat(crews.assign(2, 7)).isEqualTo(new AlreadyAssigned(pair));
    assertThat(crews.assign(1, 8)).isEqualTo(new AlreadyAssigned(pair));
    Assignment other = crews.assign(2, 8).made().orElseThrow();
    assertThat(crews.assign(2, 7)).isEqualTo(new AlreadyAssigned(pair));
    assertThat(crews.assign(1, 8)).isEqualTo(new AlreadyAssigned(other));

    assertThat(crews.release(pair)).isTrue();
    assertThat(crews.release(other)).isTrue();
    Assignment crossed = crews.assign(1, 8).made().orElseThrow();
    assertThat(crews.release(new Assignment(1, 8, other.token()))).isFalse();
    assertThat(crews.findByWorker(1)).contains(crossed);
    assertThat(crews.assign(Long.MIN_VALUE, Long.MAX_VALUE)).isInstanceOf(Assigned.class);
  }

  @Test
  void whatWasTakenAwayCannotReleaseItsSuccessor() throws SQLException {
    WorkerPool crawlers = acme.assignments().workers("crawlers");
    crawlers.add(List.of(1L));
    Assignment zombies = crawlers.assign(7).made().orElseThrow();
    assertThat(crawlers.release(zombies)).isTrue();
    Assignment next = crawlers.assign(7).made().orElseThrow();
    assertThat(next).isNotEqualTo(zombies);
    assertThat(next.worker()).isEqualTo(zombies.worker());

    assertThat(crawlers.release(zombies)).isFalse();
    assertThat(crawlers.findByTask(7)).contains(next);
    assertThat(crawlers.countFree()).isZero();
  }

  @Test
  void whoIsRemovedWhileAssignedLeavesWhenReleased() {
    WorkerPool crawlers = acme.assignments().workers("crawlers");
    crawlers.add(List.of(1L, 2L, 3L));
    Assignment first = crawlers.assign(7).made().orElseThrow();
    Assignment second = crawlers.assign(8).made().orElseThrow();
    assertThat(crawlers.remove(List.of(1L, 2L, 3L, 4L))).isEqualTo(3);
    assertThat(crawlers.remove(List.of(1L, 2L, 3L, 4L))).isZero();
    assertThat(crawlers.countFree()).isZero();

    assertThat(crawlers.release(first)).isTrue();
    assertThat(crawlers.countFree()).isZero();
    assertThat(crawlers.add(List.of(second.worker()))).isEqualTo(1);
    assertThat(crawlers.add(List.of(second.worker()))).isZero();
    assertThat(crawlers.countFree()).isZero();
    assertThat(crawlers.release(second)).isTrue();
    assertThat(crawlers.countFree()).isEqualTo(1);
    assertThat(crawlers.assign(9).made()).map(Assignment::worker).contains(second.worker());
  }

  @Test
  void poolsKnowNothingOfEachOther() {
    WorkerPool one = acme.assignments().workers("one");
    WorkerPool other = acme.assignments().workers("other");
    Tenant rival = fixture.rota().tenants().register("rival of " + acme.name());
    WorkerPool rivals = rival.assignments().workers("one");
    for (WorkerPool pool : List.of(one, other, rivals)) {
      pool.add(List.of(1L));
    }
    for (WorkerPool pool : List.of(one, other, rivals)) {
      Assignment made = pool.assign(7).made().orElseThrow();
      assertThat(made.worker()).isEqualTo(1);
      if (pool == other) {
        assertThat(one.release(made)).isFalse();
        assertThat(rivals.release(made)).isFalse();
        assertThat(other.release(made)).isTrue();
      }
    }
    assertThat(one.name()).isEqualTo("one");
    assertThat(other)
        .hasToString("pool 'other' of tenant '%s' (%d)".formatted(acme.name(), acme.number()));
  }

  @Test
  void freeOnesAreGivenFromAllOverThePool() {
    WorkerPool crawlers = acme.assignments().workers("crawlers");
    crawlers.add(LongStream.range(0, 1_000).boxed().toList());
    List<Long> given = new ArrayList<>();
    for (long task = 0; task < 50; task++) {
      given.add(crawlers.assign(task).made().orElseThrow().worker());
    }
    assertThat(given).doesNotHaveDuplicates();
    assertThat(given.stream().filter(worker -> worker < 500).count()).isBetween(5L, 45L);
    Set<Long> firsts = new HashSet<>();
    for (int i = 0; i < 20; i++) {
      Assignment made = crawlers.assign(99).made().orElseThrow();
      firsts.add(made.worker());
      crawlers.release(made);
    }
    assertThat(firsts).hasSizeGreaterThan(5);
  }

  /** What a commit between the snapshot and the lock leaves behind, made by hand. */
  @Test
  void aFreeOneThatTurnsOutToBeTakenIsNotGivenTwice() throws SQLException {
    WorkerPool crawlers = acme.assignments().workers("crawlers");
    crawlers.add(List.of(1L));
    Assignment made = crawlers.assign(7).made().orElseThrow();
    fixture.execute(
        "insert into rota_%1$d.task_free_%1$d (pool, spot, id) select pool, spot, returns"
                .formatted(acme.number())
            + " from rota_%1$d.task_assignment_%1$d".formatted(acme.number()));

    assertThat(crawlers.assign(8)).isEqualTo(CONTENDED);
    assertThat(crawlers.findByTask(8)).isEmpty();
    assertThat(crawlers.release(made)).isTrue();
    assertThat(crawlers.countFree()).isOne();
    assertThat(crawlers.assign(8).made()).isPresent();
    assertThat(crawlers.countFree()).isZero();
  }

  @Test
  void aPoolIsOfOneKind() {
    acme.assignments().workers("crawlers");
    assertThatThrownBy(() -> acme.assignments().tasks("crawlers"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "pool 'crawlers' of tenant '%s' (%d) is one of workers, not of tasks; open it with"
                    .formatted(acme.name(), acme.number())
                + " assignments().workers(name), or choose another name");
    Rota another = fixture.another();
    assertThatThrownBy(() -> another.tenants().get(acme.name()).assignments().pairs("crawlers"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is one of workers, not of pairs");
    assertThatThrownBy(() -> acme.assignments().workers("  "))
        .isInstanceOf(InvalidNameException.class)
        .hasMessageContaining("pool name has 2 characters");
    assertThatThrownBy(() -> acme.assignments().workers("a\0b"))
        .isInstanceOf(InvalidNameException.class)
        .hasMessageContaining("pool name has a NUL at index 1");
  }

  @Test
  void aClosedTenantRefusesNewTasksAndEndsOldOnes() {
    TaskPool pages = acme.assignments().tasks("pages");
    pages.add(List.of(1L));
    fixture.rota().tenants().close(acme.name());
    assertThatThrownBy(() -> pages.add(List.of(2L)))
        .isInstanceOf(TenantClosedException.class)
        .hasMessageContaining(acme.name());
    Assignment made = pages.assign(5).made().orElseThrow();
    assertThat(pages.finish(made)).isTrue();
    assertThat(pages.countFree()).isZero();
  }

  @Test
  void tablesAreMadeWithTheFirstPoolAndVacuumedOften() throws SQLException {
    String tables =
        "select c.relname || ' ' || c.reloptions::text from pg_class c where c.relkind = 'r'"
            + " and c.relnamespace = to_regnamespace('rota_%d')".formatted(acme.number())
            + " and c.relname ~ '^task_(assignment|free)_' order by 1";
    assertThat(fixture.texts(tables)).isEmpty();
    acme.assignments().workers("one");
    acme.assignments().pairs("other");
    String options =
        " {fillfactor=90,autovacuum_vacuum_scale_factor=0,autovacuum_vacuum_threshold=1000,"
            + "autovacuum_vacuum_cost_delay=0}";
    assertThat(fixture.texts(tables))
        .containsExactly(
            "task_assignment_" + acme.number() + options, "task_free_" + acme.number() + options);
    assertThat(
            fixture.texts(
                "select name || ' ' || kind from rota.assignment_pool where tenant = %d order by 1"
                    .formatted(acme.number())))
        .containsExactly("one 1", "other 3");
  }
}
