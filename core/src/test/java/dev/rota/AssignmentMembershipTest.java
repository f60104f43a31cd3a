package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.assignment.Assignment;
import dev.rota.assignment.WorkerPool;
import dev.rota.testing.Await;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests changes of a pool's known members while callers assign and release: no call blocks another.
 */
@RotaTest
@PostgresVersions({15, 18})
@Timeout(120)
class AssignmentMembershipTest {

  private static final int MEMBERS = 40;
  private static final int CHANGES = 150;

  @Given private static RotaFixture fixture;
  private static int count;

  private Tenant acme;
  private WorkerPool crawlers;
  private final List<Connection> opened = new ArrayList<>();

  @BeforeEach
  void register() {
    acme = fixture.rota().tenants().register("tenant " + ++count);
    crawlers = acme.assignments().workers("crawlers");
  }

  @AfterEach
  void end() throws SQLException {
    for (Connection connection : opened) {
      connection.close();
    }
  }

  private Connection begin() throws SQLException {
    Connection connection = fixture.database().connect();
    opened.add(connection);
    connection.setAutoCommit(false);
    return connection;
  }

  @Test
  void addWaitsForNobodyWhoIsAssigning() throws SQLException {
    crawlers.add(List.of(1L));
    Connection callers = begin();
    Assignment made = crawlers.assign(callers, 7).made().orElseThrow();
    assertThat(crawlers.add(List.of(1L, 2L))).isEqualTo(1);
    callers.commit();
    assertThat(crawlers.countFree()).isOne();
    assertThat(crawlers.release(made)).isTrue();
    assertThat(crawlers.countFree()).isEqualTo(2);
  }

  @Test
  void addWaitsForNobodyWhoIsReleasing() throws SQLException {
    crawlers.add(List.of(1L));
    Assignment made = crawlers.assign(7).made().orElseThrow();
    Connection callers = begin();
    assertThat(crawlers.release(callers, made)).isTrue();
    assertThat(crawlers.add(List.of(1L))).isZero();
    callers.commit();
    assertThat(crawlers.countFree()).isOne();
  }

  /**
   * One transaction takes one worker and gives another back, while a statement that began before
   * adds both again. If each waited for the other's row, this would be a deadlock.
   */
  @Test
  void addAndATransactionThatTakesAndGivesBackDoNotLockEachOtherOut() throws Exception {
    Connection first = begin();
    crawlers.add(List.of(1L));
    assertThat(crawlers.assign(first, 101).made()).map(Assignment::worker).contains(1L);
    crawlers.add(List.of(2L, 3L));
    CompletableFuture<Integer> adding =
        InBackground.supply(() -> crawlers.add(List.of(1L, 2L, 3L)));
    Await.until("add has ended, or waits", () -> adding.isDone() || isBlocked());

    Assignment two = assignedTo(2);
    Connection second = begin();
    assertThat(crawlers.assign(second, 103).made()).map(Assignment::worker).contains(3L);
    first.commit();
    Await.until("add has ended, or waits again", () -> adding.isDone() || isBlocked());
    assertThat(crawlers.release(second, two)).isTrue();
    second.commit();

    assertThat(adding.get(30, TimeUnit.SECONDS)).isZero();
    assertThat(crawlers.countFree()).isOne();
    assertThat(crawlers.findByWorker(1)).isPresent();
    assertThat(crawlers.findByWorker(3)).isPresent();
  }

  private static boolean isBlocked() throws SQLException {
    return fixture.number(
            "select count(*) from pg_stat_activity where datname = current_database()"
                + " and cardinality(pg_blocking_pids(pid)) > 0")
        > 0;
  }

  private Assignment assignedTo(long worker) {
    Assignment made = crawlers.assign(102).made().orElseThrow();
    while (made.worker() != worker) {
      assertThat(crawlers.release(made)).isTrue();
      made = crawlers.assign(102).made().orElseThrow();
    }
    return made;
  }

  /** Two that add the same unknown ones wait for each other; none is there twice. */
  @Test
  void membersAreAddedByOneProcessAtATime() throws Exception {
    WorkerPool theirs =
        fixture.another().tenants().get(acme.name()).assignments().workers("crawlers");
    List<Long> many = LongStream.range(0, 2_000).boxed().toList();
    List<CompletableFuture<Integer>> adding =
        List.of(
            InBackground.supply(() -> crawlers.add(many)),
            InBackground.supply(() -> theirs.add(many)));
    assertThat(adding.get(0).get() + adding.get(1).get()).isEqualTo(2_000);
    assertThat(crawlers.countFree()).isEqualTo(2_000);
  }

  @Test
  void aReleaseThatMeetsARemovalIsNotLost() throws Exception {
    crawlers.add(List.of(1L));
    Assignment one = crawlers.assign(101).made().orElseThrow();
    crawlers.add(List.of(2L));
    Connection blocking = begin();
    assertThat(crawlers.assign(blocking, 102).made()).isPresent();
    CompletableFuture<Integer> removing =
        InBackground.supply(() -> crawlers.remove(List.of(1L, 2L)));
    fixture.awaitBlocked(1);

    CompletableFuture<Boolean> releasing = InBackground.supply(() -> crawlers.release(one));
    fixture.awaitBlocked(2);
    blocking.commit();
    assertThat(removing.get(30, TimeUnit.SECONDS)).isEqualTo(2);
    assertThat(releasing.get(30, TimeUnit.SECONDS)).isTrue();
    assertThat(crawlers.findByWorker(1)).isEmpty();
    assertThat(crawlers.countFree()).isZero();
  }

  @Test
  void aReleaseOfACallerThatMeetsARemovalIsNotLostEither() throws Exception {
    crawlers.add(List.of(1L));
    Assignment one = crawlers.assign(101).made().orElseThrow();
    crawlers.add(List.of(2L));
    Connection blocking = begin();
    assertThat(crawlers.assign(blocking, 102).made()).isPresent();
    CompletableFuture<Integer> removing =
        InBackground.supply(() -> crawlers.remove(List.of(1L, 2L)));
    fixture.awaitBlocked(1);

    Connection callers = begin();
    CompletableFuture<Boolean> releasing =
        InBackground.supply(() -> crawlers.release(callers, one));
    fixture.awaitBlocked(2);
    blocking.rollback();
    assertThat(removing.get(30, TimeUnit.SECONDS)).isEqualTo(2);
    assertThat(releasing.get(30, TimeUnit.SECONDS)).isTrue();
    callers.rollback();
    assertThat(crawlers.findByWorker(1)).contains(one);
  }

  /** Members come and go while others work; at the end each is there once, or assigned once. */
  @Test
  @Tag("exhaustive")
  void membersComeAndGoWhileOthersWork() throws Exception {
    List<Long> members = LongStream.range(0, MEMBERS).boxed().toList();
    crawlers.add(members);
    WorkerPool theirs =
        fixture.another().tenants().get(acme.name()).assignments().workers("crawlers");
    ExecutorService threads = Executors.newFixedThreadPool(6);
    try {
      List<Future<?>> parts = new ArrayList<>();
      for (WorkerPool pool : List.of(crawlers, theirs)) {
        parts.add(threads.submit(() -> work(pool)));
        parts.add(threads.submit(() -> work(pool)));
        parts.add(threads.submit(() -> change(pool, members)));
      }
      for (Future<?> part : parts) {
        part.get();
      }
    } finally {
      threads.shutdownNow();
    }
    crawlers.add(members);
    assertThat(crawlers.countFree()).isEqualTo(MEMBERS);
    assertThat(
            fixture.number(
                "select count(*) from rota_%1$d.task_assignment_%1$d".formatted(acme.number())))
        .isZero();
  }

  private static void work(WorkerPool pool) {
    for (int i = 0; i < 2 * CHANGES; i++) {
      long task = ThreadLocalRandom.current().nextLong(1_000_000);
      pool.assign(task).made().ifPresent(made -> assertThat(pool.release(made)).isTrue());
    }
  }

  private static void change(WorkerPool pool, List<Long> members) {
    for (int i = 0; i < CHANGES; i++) {
      int from = ThreadLocalRandom.current().nextInt(MEMBERS / 2);
      List<Long> some = members.subList(from, from + MEMBERS / 2);
      if (i % 2 == 0) {
        pool.remove(some);
      } else {
        pool.add(some);
      }
    }
  }
}
