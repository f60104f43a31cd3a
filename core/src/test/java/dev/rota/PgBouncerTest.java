package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.rota.internal.RotaBuilder;
import dev.rota.testing.Await;
import dev.rota.testing.Faults;
import dev.rota.testing.PgBouncer;
import dev.rota.testing.TestDatabase;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/**
 * Tests that acknowledged tasks exist behind a PgBouncer in transaction mode, with the driver's
 * default settings, and that statements stay prepared where the pooler allows it.
 */
@RotaTest
class PgBouncerTest {

  private static final int PRODUCERS = 8;
  private static final int ROUNDS = 25;
  private static final int POLLED = 20;

  @TempDir private Path folder;

  private final List<Exception> refusals = new CopyOnWriteArrayList<>();
  @Given private RotaFixture fixture;
  private PgBouncer pooler;

  @BeforeEach
  void open() throws Exception {
    for (int i = 0; i < PRODUCERS; i++) {
      fixture.rota().tenants().register("tenant-" + i);
    }
    pooler = PgBouncer.start(fixture.database(), folder, "transaction");
  }

  @AfterEach
  void close() throws Exception {
    if (pooler != null) {
      pooler.close();
    }
  }

  @Test
  @Tag("exhaustive")
  void whatIsAcknowledgedIsThere() throws Exception {
    Set<Long> acknowledged = new HashSet<>();
    ExecutorService threads = Executors.newFixedThreadPool(PRODUCERS);
    try {
      List<Future<List<Long>>> producers = new ArrayList<>();
      for (int i = 0; i < PRODUCERS; i++) {
        int number = i;
        producers.add(threads.submit(() -> produce(number)));
      }
      for (Future<List<Long>> producer : producers) {
        acknowledged.addAll(producer.get(2, TimeUnit.MINUTES));
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(stored()).containsAll(acknowledged);
    assertThat(refusals).isEmpty();
    assertThat(acknowledged).hasSize(PRODUCERS * ROUNDS * 5);
    assertThat(stored()).hasSize(PRODUCERS * ROUNDS * 5);
  }

  /** LISTEN would stay with the pooler, which gives its doorbells to others. */
  @Test
  @Tag("exhaustive")
  void aWorkerBehindItPollsAndDoesNotListen() throws Exception {
    Queue<String> calls = new ConcurrentLinkedQueue<>();
    Faults faults = new Faults();
    faults.beforeAnyCall().tell(calls::add);
    AtomicInteger ran = new AtomicInteger();
    try (LogTap log = new LogTap();
        HikariDataSource pool = pool(8);
        Rota rota = RotaBuilder.build(Rota.builder(pool), new FaultObserver(faults));
        Worker worker = rota.worker().handle("k", task -> ran.incrementAndGet()).start()) {
      Await.until("it says so", () -> log.contains("LISTEN belongs to a session"));
      for (int i = 0; i < POLLED; i++) {
        fixture.rota().tenants().get("tenant-0").enqueue(NewTask.of("k", "{}"));
        int expected = i + 1;
        Await.until("the task has run", () -> ran.get(), expected);
      }
      assertThat(calls).contains("find the server process").doesNotContain("listen");
      assertThat(worker.statistics().lost()).isZero();
    }
  }

  /** Where the pooler maps no names, the trial that shows it leaves no statement behind. */
  @Test
  void statementsStayPreparedWhereThePoolerMapsTheirNames() throws Exception {
    boolean mapped = PgBouncer.mapsNames();
    AtomicInteger ran = new AtomicInteger();
    try (LogTap log = new LogTap();
        HikariDataSource pool = pool(8);
        Rota rota = Rota.builder(pool).doorbell(false).build();
        Worker worker = rota.worker().handle("k", task -> ran.incrementAndGet()).start()) {
      for (int i = 0; i < POLLED; i++) {
        rota.tenants().get("tenant-0").enqueue(NewTask.of("k", "{}"));
        int expected = i + 1;
        Await.until("the task has run", () -> ran.get(), expected);
      }
      assertThat(log.contains("mean others after an exchange")).isEqualTo(!mapped);
      assertThat(preparedClaims(pool)).isEqualTo(mapped);
      assertThat(worker.statistics().lost()).isZero();
    }
  }

  /** A pooler that maps no names may lend a process that has a statement of the same name. */
  @Test
  void tasksAreEnqueuedWhereTheTrialOfNamesIsRefused() throws Exception {
    Faults faults = new Faults();
    faults.before("find the name of this statement").fail();
    try (LogTap log = new LogTap();
        HikariDataSource pool = pool(1);
        Rota rota =
            RotaBuilder.build(Rota.builder(pool).doorbell(false), new FaultObserver(faults))) {
      for (int i = 0; i < POLLED; i++) {
        rota.tenants().get("tenant-0").enqueue(NewTask.of("k", "{}"));
      }
      assertThat(log.contains("mean others after an exchange")).isTrue();
      assertThat(faults.count("find the name of this statement")).isEqualTo(1);
    }
    try (Connection direct = fixture.database().connect()) {
      assertThat(TestDatabase.texts(direct, "select id from rota_1.task_init_1")).hasSize(POLLED);
    }
  }

  /** Whether the server process of one of some transactions keeps claims, by the pooler's name. */
  private static boolean preparedClaims(HikariDataSource pool) throws SQLException {
    Set<String> names = new HashSet<>();
    for (int i = 0; i < POLLED; i++) {
      try (Connection connection = pool.getConnection()) {
        names.addAll(
            TestDatabase.texts(
                connection,
                "select name from pg_prepared_statements where statement like '%task_hist%'"));
      }
    }
    assertThat(names).allMatch(name -> name.startsWith("PGBOUNCER_"));
    return !names.isEmpty();
  }

  /** The log lines of this test. */
  private static final class LogTap implements AutoCloseable {
    private final Logger logger = (Logger) LoggerFactory.getLogger("dev.rota");
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

    LogTap() {
      lines.list = new CopyOnWriteArrayList<>();
      lines.start();
      logger.addAppender(lines);
    }

    boolean contains(String text) {
      return lines.list.stream().anyMatch(line -> line.getFormattedMessage().contains(text));
    }

    @Override
    public void close() {
      logger.detachAppender(lines);
    }
  }

  /** Each in another order, so that the same names of the driver mean other statements. */
  private List<Long> produce(int number) {
    List<Long> ids = new ArrayList<>();
    try (HikariDataSource pool = pool(3);
        Rota rota = Rota.builder(pool).doorbell(false).build()) {
      for (int i = 0; i < 4 * ROUNDS; i++) {
        try {
          Tenant tenant = rota.tenants().get("tenant-" + (number + i) % PRODUCERS);
          ids.addAll(enqueue((number + i) % 4, tenant, pool));
        } catch (RuntimeException | SQLException e) {
          refusals.add(e);
        }
      }
    }
    return ids;
  }

  private static List<Long> enqueue(int way, Tenant tenant, HikariDataSource pool)
      throws SQLException {
    NewTask task = NewTask.of("k", "{}");
    return switch (way) {
      case 0 -> List.of(tenant.enqueue(task));
      case 1 -> tenant.enqueueAll(List.of(task, task));
      case 2 -> List.of(tenant.enqueueAsync(task).join());
      default -> enqueueInTransaction(tenant, task, pool);
    };
  }

  private static List<Long> enqueueInTransaction(Tenant tenant, NewTask task, HikariDataSource pool)
      throws SQLException {
    try (Connection connection = pool.getConnection()) {
      connection.setAutoCommit(false);
      long id = tenant.enqueue(connection, task);
      connection.commit();
      return List.of(id);
    }
  }

  private Set<Long> stored() throws SQLException {
    Set<Long> stored = new HashSet<>();
    try (Connection connection = fixture.database().connect()) {
      for (TenantInfo tenant : fixture.rota().tenants().list()) {
        String ring = "rota_%1$d.task_init_%1$d".formatted(tenant.number());
        TestDatabase.texts(connection, "select id from " + ring)
            .forEach(id -> stored.add(Long.valueOf(id)));
      }
    }
    return stored;
  }

  private HikariDataSource pool(int size) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(pooler.jdbcUrl());
    config.setMaximumPoolSize(size);
    return new HikariDataSource(config);
  }
}
