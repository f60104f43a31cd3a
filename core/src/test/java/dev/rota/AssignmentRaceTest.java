package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.assignment.Assignment;
import dev.rota.assignment.AssignmentPool;
import dev.rota.assignment.AssignmentResult;
import dev.rota.assignment.PairPool;
import dev.rota.assignment.TaskPool;
import dev.rota.assignment.WorkerPool;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Assigns with many threads of two processes, some in transactions that are rolled back. A worker
 * never has two tasks, nor a task two workers.
 */
@Timeout(300)
@RotaTest
@PostgresVersions({15, 18})
@Tag("exhaustive")
class AssignmentRaceTest {

  private static final int THREADS = 8;
  private static final int ROUNDS = 300;
  private static final int MEMBERS = 6;
  private static final int ASKERS = 10;

  private final ConcurrentHashMap<Long, Long> byWorker = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<Long, Long> byTask = new ConcurrentHashMap<>();
  private final AtomicInteger made = new AtomicInteger();
  private final AtomicInteger undone = new AtomicInteger();

  /** A way to ask: of two numbers, on a connection or none. */
  private interface Question {
    AssignmentResult ask(Connection connection, long member, long asker);
  }

  @Given private RotaFixture fixture;

  @Test
  void workersForTasks() throws Exception {
    List<WorkerPool> pools =
        twice().stream().map(tenant -> tenant.assignments().workers("p")).toList();
    assertThat(pools.get(0).add(members())).isEqualTo(MEMBERS);
    race(
        pools,
        pool ->
            (connection, member, asker) ->
                connection == null ? pool.assign(asker) : pool.assign(connection, asker));
    assertThat(pools.get(0).countFree()).isEqualTo(MEMBERS);
  }

  @Test
  void tasksForWorkers() throws Exception {
    List<TaskPool> pools = twice().stream().map(tenant -> tenant.assignments().tasks("p")).toList();
    assertThat(pools.get(0).add(members())).isEqualTo(MEMBERS);
    race(
        pools,
        pool ->
            (connection, member, asker) ->
                connection == null ? pool.assign(asker) : pool.assign(connection, asker));
    assertThat(pools.get(0).countFree()).isEqualTo(MEMBERS);
  }

  @Test
  void pairs() throws Exception {
    List<PairPool> pools = twice().stream().map(tenant -> tenant.assignments().pairs("p")).toList();
    race(
        pools,
        pool ->
            (connection, member, asker) ->
                connection == null
                    ? pool.assign(member, asker)
                    : pool.assign(connection, member, asker));
  }

  /** The same tenant in two processes. */
  private List<Tenant> twice() {
    return List.of(
        fixture.rota().tenants().register("acme"), fixture.another().tenants().get("acme"));
  }

  private static List<Long> members() {
    return LongStream.range(0, MEMBERS).boxed().toList();
  }

  private <P extends AssignmentPool> void race(List<P> pools, Function<P, Question> questions)
      throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      List<Callable<Integer>> parts = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        P pool = pools.get(i % pools.size());
        Question question = questions.apply(pool);
        boolean inTransactions = i < THREADS / 2;
        parts.add(() -> inTransactions ? turn(pool, question) : run(pool, question));
      }
      for (Future<Integer> part : threads.invokeAll(parts)) {
        part.get();
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(made).hasValueGreaterThan(THREADS);
    assertThat(undone).hasPositiveValue();
    assertThat(fixture.number("select count(*) from rota_1.task_assignment_1")).isZero();
  }

  private int run(AssignmentPool pool, Question question) {
    for (int i = 0; i < ROUNDS; i++) {
      Optional<Assignment> got = question.ask(null, random(MEMBERS), random(ASKERS)).made();
      got.ifPresent(this::note);
      got.ifPresent(this::strike);
      got.ifPresent(assignment -> assertThat(pool.release(assignment)).isTrue());
    }
    return ROUNDS;
  }

  /** Every other transaction is rolled back, so that its assignment never was. */
  private int turn(AssignmentPool pool, Question question) throws SQLException {
    try (Connection connection = fixture.database().connect()) {
      connection.setAutoCommit(false);
      for (int i = 0; i < ROUNDS; i++) {
        Optional<Assignment> got = question.ask(connection, random(MEMBERS), random(ASKERS)).made();
        if (got.isPresent() && i % 2 == 0) {
          connection.rollback();
          undone.incrementAndGet();
          assertThat(pool.release(got.get())).isFalse();
        } else {
          connection.commit();
          got.ifPresent(this::note);
          got.ifPresent(this::strike);
          assertThat(got.isEmpty() || pool.release(connection, got.get())).isTrue();
          connection.commit();
        }
      }
    }
    return ROUNDS;
  }

  private void note(Assignment assignment) {
    made.incrementAndGet();
    assertThat(byWorker.putIfAbsent(assignment.worker(), assignment.task()))
        .as("task of worker %d", assignment.worker())
        .isNull();
    assertThat(byTask.putIfAbsent(assignment.task(), assignment.worker()))
        .as("worker of task %d", assignment.task())
        .isNull();
  }

  private void strike(Assignment assignment) {
    assertThat(byWorker.remove(assignment.worker())).isEqualTo(assignment.task());
    assertThat(byTask.remove(assignment.task())).isEqualTo(assignment.worker());
  }

  private static long random(int bound) {
    return ThreadLocalRandom.current().nextInt(bound);
  }
}
