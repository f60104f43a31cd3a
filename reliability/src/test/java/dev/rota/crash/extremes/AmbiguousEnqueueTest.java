package dev.rota.crash.extremes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rota.DatabaseException;
import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.Tenant;
import dev.rota.crash.CrashRun;
import dev.rota.crash.CrashTest;
import dev.rota.crash.server.FaultProxy;
import dev.rota.crash.server.FaultProxy.CutPoint;
import dev.rota.testing.TestDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Tests that a producer that repeats an enqueue with a key until it is acknowledged has added
 * exactly one task.
 */
@CrashTest
class AmbiguousEnqueueTest {

  /** Of each way to enqueue. */
  private static final int AMBIGUOUS = CrashRun.size(150, 2_500);

  private static final int THREADS = 4;
  private static final int TOGETHER = 10;

  private final Map<String, Long> acknowledged = new ConcurrentHashMap<>();
  private final AtomicInteger ambiguous = new AtomicInteger();
  private final AtomicInteger definite = new AtomicInteger();
  private final AtomicInteger names = new AtomicInteger();

  /** How tasks are enqueued. */
  enum Way {
    SINGLE,
    BULK,
    ASYNC,
    SQL_FUNCTION
  }

  @ParameterizedTest
  @EnumSource
  void thereIsExactlyOneTaskForEachKey(Way way) throws Exception {
    try (TestDatabase database = TestDatabase.create();
        FaultProxy proxy = FaultProxy.to(port(database));
        Rota direct = Rota.connect(database.jdbcUrl())) {
      direct.admin().migrate();
      int number = direct.tenants().register("acme").number();
      String url = proxy.through(database.jdbcUrl());
      try (Rota rota = Rota.builder(url).poolSize(THREADS).build()) {
        Tenant acme = rota.tenants().get("acme");
        acme.enqueue(NewTask.of("first", "{}").withKey("makes the table of keys"));
        cutAtRandom(proxy);
        produce(way, acme, url);
        for (CutPoint point : CutPoint.values()) {
          proxy.cutNever(point);
        }
      }
      Map<String, List<Long>> tasks = tasks(database, number);
      tasks.remove("makes the table of keys");
      record(way, proxy);
      assertThat(tasks).hasSameSizeAs(acknowledged);
      acknowledged.forEach(
          (key, id) -> assertThat(tasks.get(key)).as("tasks with key " + key).containsExactly(id));
      assertThat(proxy.cuts(CutPoint.READY)).isPositive();
      if (way != Way.SQL_FUNCTION) {
        assertThat(proxy.cuts(CutPoint.COMMIT_ANSWER)).isPositive();
        assertThat(proxy.cuts(CutPoint.COMMIT_REQUEST)).isPositive();
      }
    }
  }

  /** Every second transaction that touches keys, before its COMMIT, or at either answer to it. */
  private static void cutAtRandom(FaultProxy proxy) {
    Map<CutPoint, Double> shares = new EnumMap<>(CutPoint.class);
    shares.put(CutPoint.COMMIT_REQUEST, 0.1);
    shares.put(CutPoint.COMMIT_ANSWER, 0.3);
    shares.put(CutPoint.READY, 0.3);
    Random random = new Random(CrashRun.seed());
    shares.forEach(
        (point, share) ->
            proxy.cutWhen(
                point,
                said ->
                    (said.contains("task_key_") || said.contains("rota.enqueue"))
                        && random.nextDouble() < share));
  }

  private void produce(Way way, Tenant acme, String url) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      List<Future<?>> producers = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        producers.add(threads.submit(() -> produceAll(way, acme, url)));
      }
      for (Future<?> producer : producers) {
        producer.get();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private void produceAll(Way way, Tenant acme, String url) {
    while (ambiguous.get() < AMBIGUOUS) {
      switch (way) {
        case SINGLE -> {
          NewTask task = task();
          acknowledge(task, untilAcknowledged(() -> acme.enqueue(task)));
        }
        case BULK -> {
          List<NewTask> tasks = tasks();
          List<Long> ids = untilAcknowledged(() -> acme.enqueueAll(tasks));
          for (int i = 0; i < tasks.size(); i++) {
            acknowledge(tasks.get(i), ids.get(i));
          }
        }
        case ASYNC -> {
          Map<NewTask, CompletableFuture<Long>> futures = new HashMap<>();
          tasks().forEach(task -> futures.put(task, acme.enqueueAsync(task)));
          futures.forEach((task, first) -> acknowledge(task, joined(acme, task, first)));
        }
        case SQL_FUNCTION -> {
          NewTask task = task();
          acknowledge(task, untilAcknowledged(() -> call(url, task)));
        }
      }
    }
  }

  /** The outcome of the first attempt, or of others when that one fails. */
  private Long joined(Tenant acme, NewTask task, CompletableFuture<Long> first) {
    Deque<CompletableFuture<Long>> attempts = new ArrayDeque<>(List.of(first));
    return untilAcknowledged(
        () -> {
          CompletableFuture<Long> attempt = attempts.poll();
          return outcome(attempt == null ? acme.enqueueAsync(task) : attempt);
        });
  }

  private static Long outcome(CompletableFuture<Long> attempt) {
    try {
      return attempt.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof DatabaseException failure) {
        throw failure;
      }
      throw e;
    }
  }

  private interface Attempt<T> {
    T run() throws SQLException;
  }

  private <T> T untilAcknowledged(Attempt<T> attempt) {
    while (true) {
      try {
        return attempt.run();
      } catch (DatabaseException e) {
        assertThat(e.unavailable()).as(e.getMessage()).isTrue();
        (e.outcomeUnknown() ? ambiguous : definite).incrementAndGet();
      } catch (SQLException e) {
        // The call commits itself: without an answer its outcome is unknown.
        assertThat(e.getSQLState()).as(e.getMessage()).startsWith("08");
        ambiguous.incrementAndGet();
      }
    }
  }

  private static Long call(String url, NewTask task) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        PreparedStatement call =
            connection.prepareStatement("select rota.enqueue('acme', ?, '{}', null, 0, ?)")) {
      call.setString(1, task.kind());
      call.setString(2, task.payload());
      try (ResultSet row = call.executeQuery()) {
        row.next();
        return row.getLong(1);
      }
    }
  }

  private void acknowledge(NewTask task, Long id) {
    acknowledged.put(task.payload(), id);
  }

  /** Its payload is its key. */
  private NewTask task() {
    String key = "key " + names.incrementAndGet();
    return NewTask.of("k", key).withKey(key);
  }

  private List<NewTask> tasks() {
    List<NewTask> tasks = new ArrayList<>();
    for (int i = 0; i < TOGETHER; i++) {
      tasks.add(task());
    }
    return tasks;
  }

  private static Map<String, List<Long>> tasks(TestDatabase database, int tenant)
      throws SQLException {
    Map<String, List<Long>> tasks = new HashMap<>();
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "select key, id from rota_%1$d.task_init_%1$d_0".formatted(tenant))) {
      while (rows.next()) {
        tasks.computeIfAbsent(rows.getString(1), key -> new ArrayList<>()).add(rows.getLong(2));
      }
    }
    return tasks;
  }

  private void record(Way way, FaultProxy proxy) throws Exception {
    CrashRun.record(
        "ambiguous-enqueue-" + way,
        Map.of(
            "ambiguous", ambiguous.get(),
            "failedForSure", definite.get(),
            "tasks", acknowledged.size(),
            "cutBeforeTheCommit", proxy.cuts(CutPoint.COMMIT_REQUEST),
            "cutAtTheAnswerOfTheCommit",
                proxy.cuts(CutPoint.COMMIT_ANSWER) + proxy.cuts(CutPoint.READY)));
  }

  private static int port(TestDatabase database) {
    return ((PGSimpleDataSource) database.dataSource()).getPortNumbers()[0];
  }
}
