package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.rota.testing.Await;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.conf.RenderNameCase;
import org.jooq.conf.RenderQuotedNames;
import org.jooq.conf.Settings;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;

/** Tests that tasks exist if and when the transaction of the caller commits. */
@RotaTest
class CallersTransactionTest {

  private static final NewTask TASK = NewTask.of("invoice.created", "{}");

  @Given private static RotaFixture fixture;
  private static int count;
  private Tenant tenant;

  @BeforeAll
  static void open() throws SQLException {
    fixture.execute("create table public.invoice (id bigint)");
  }

  @BeforeEach
  void register() {
    // With a stock of ids of its own, that no other method has used.
    tenant = fixture.another().tenants().register("tenant " + ++count);
  }

  @Test
  void committedWithTheWorkOfTheCaller() throws SQLException {
    try (Connection connection = fixture.database().connect()) {
      connection.setAutoCommit(false);
      long id = tenant.enqueue(connection, TASK);
      connection.createStatement().execute("insert into public.invoice values (" + id + ")");
      assertPending(0);
      connection.commit();
      assertPending(1);
      connection.createStatement().execute("insert into public.invoice values (-1)");
      tenant.enqueue(connection, TASK);
      tenant.enqueueAll(connection, List.of(TASK, TASK));
      connection.rollback();
      assertPending(1);
      assertThat(fixture.number("select count(*) from public.invoice where id = " + id)).isOne();
      assertThat(fixture.number("select count(*) from public.invoice where id = -1")).isZero();
    }
  }

  @Test
  void inAutoCommitModeItIsStoredAtOnce() throws SQLException {
    try (Connection connection = fixture.database().connect()) {
      tenant.enqueue(connection, TASK);
      assertPending(1);
      assertThat(connection.getAutoCommit()).isTrue();
      assertThat(connection.isClosed()).isFalse();
    }
  }

  /**
   * The insert follows a savepoint, which fails with the BEGIN if that was not sent yet. The first
   * flush of a connection also queries its server process.
   */
  @Test
  void exactlyOneInsertReachesTheServer() throws SQLException {
    StatementLog log = new StatementLog();
    tenant.enqueue(TASK);
    try (Connection connection = fixture.database().connect()) {
      connection.setAutoCommit(false);
      tenant.enqueue(connection, TASK);
      connection.commit();
      Connection observed = log.over(connection);
      tenant.enqueue(observed, TASK);
      assertThat(log.sent())
          .singleElement()
          .satisfies(
              sql ->
                  assertThat(sql)
                      .startsWith(
                          "savepoint rota_begun;\nrelease savepoint rota_begun;\ninsert into")
                      .contains("\"task_init_" + tenant.number() + "_0\"")
                      .doesNotContainIgnoringCase("notify"));
      log.clear();
      tenant.enqueueAll(observed, tasks(100));
      assertThat(log.sent())
          .singleElement()
          .satisfies(sql -> assertThat(sql).startsWith("insert into"));
      connection.commit();
    }
    assertPending(103);
  }

  @Test
  void moreThanAreNumberedAheadTakeOneStatementMoreToBeNumbered() throws SQLException {
    StatementLog log = new StatementLog();
    try (Connection connection = fixture.database().connect()) {
      connection.setAutoCommit(false);
      List<Long> ids = tenant.enqueueAll(log.over(connection), tasks(12_000));
      assertThat(ids).hasSize(12_000).doesNotHaveDuplicates();
      connection.commit();
    }
    assertThat(log.sent()).hasSize(4).filteredOn(sql -> sql.contains("insert into")).hasSize(3);
    assertThat(log.sent().get(0)).contains("nextval");
    assertPending(12_000);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void inTheTransactionOfAJooqContextWhateverItsSettings(boolean autoCommit) throws SQLException {
    Settings theirs =
        new Settings()
            .withRenderQuotedNames(RenderQuotedNames.NEVER)
            .withRenderNameCase(RenderNameCase.UPPER)
            .withRenderSchema(false);
    try (Connection connection = fixture.database().connect()) {
      connection.setAutoCommit(autoCommit);
      DSLContext host = DSL.using(connection, SQLDialect.POSTGRES, theirs);
      host.transaction(configuration -> tenant.enqueue(DSL.using(configuration), TASK));
      host.transaction(
          configuration -> tenant.enqueueAll(DSL.using(configuration), List.of(TASK, TASK)));
      assertThatExceptionOfType(IllegalStateException.class)
          .isThrownBy(
              () ->
                  host.transaction(
                      configuration -> {
                        tenant.enqueue(DSL.using(configuration), TASK);
                        tenant.enqueueAll(DSL.using(configuration), List.of(TASK, TASK));
                        throw new IllegalStateException("the host changed its mind");
                      }));
      if (!autoCommit) {
        connection.commit();
      }
      assertThat(connection.getAutoCommit()).isEqualTo(autoCommit);
    }
    assertPending(3);
  }

  @Test
  void aBadTaskLeavesTheTransactionUsable() throws SQLException {
    try (Connection connection = fixture.database().connect()) {
      connection.setAutoCommit(false);
      DSLContext host = DSL.using(connection, SQLDialect.POSTGRES);
      assertThatExceptionOfType(InvalidTaskException.class)
          .isThrownBy(() -> tenant.enqueue(host, NewTask.of("k", "\0")));
      tenant.enqueue(host, TASK);
      connection.commit();
    }
    assertPending(1);
  }

  @Test
  void anAbortedTransactionIsReported() throws SQLException {
    try (Connection connection = fixture.database().connect()) {
      connection.setAutoCommit(false);
      try {
        connection.createStatement().execute("select 1 / 0");
      } catch (SQLException expected) {
        assertThat(expected.getSQLState()).isEqualTo("22012");
      }
      assertThatExceptionOfType(DatabaseException.class)
          .isThrownBy(() -> tenant.enqueue(connection, TASK))
          .withMessageContaining("'" + tenant.name() + "'")
          .withMessageContaining("aborted")
          .satisfies(e -> assertThat(e.unavailable()).isFalse());
      connection.rollback();
      assertThat(tenant.enqueue(connection, TASK)).isPositive();
      connection.commit();
    }
    assertPending(1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @Timeout(20)
  @Tag("exhaustive")
  void aPoolOfOneConnectionIsEnough(boolean numberedAhead) throws SQLException {
    try (HikariDataSource pool = poolOfOne();
        Rota rota = Rota.builder(pool).doorbell(false).build()) {
      Tenant own = rota.tenants().get(tenant.name());
      if (numberedAhead) {
        own.enqueue(TASK);
        own.claim(1).settle();
      }
      try (Connection only = pool.getConnection()) {
        only.setAutoCommit(false);
        own.enqueue(only, TASK);
        own.enqueueAll(only, tasks(3_000));
        only.commit();
      }
    }
    assertPending(3_001);
  }

  @Test
  @Timeout(20)
  void whoHoldsTheOnlyConnectionDoesNotWaitForThoseWhoWantIt() throws Exception {
    try (HikariDataSource pool = poolOfOne();
        Rota rota = Rota.builder(pool).doorbell(false).build()) {
      Tenant own = rota.tenants().get(tenant.name());
      CompletableFuture<Long> other;
      try (Connection only = pool.getConnection()) {
        only.setAutoCommit(false);
        other = own.enqueueAsync(TASK);
        Await.until(
            "the other one waits for the connection",
            () -> pool.getHikariPoolMXBean().getThreadsAwaitingConnection() > 0);
        own.enqueue(only, TASK);
        only.commit();
      }
      assertThat(other.get(10, TimeUnit.SECONDS)).isPositive();
    }
    assertPending(2);
  }

  @Test
  void lostConnectionIsAnErrorOfRotaAlsoWhereTheTenantHasNoTablesYet() throws Exception {
    try (HikariDataSource pool = poolOfOne();
        Rota rota = Rota.builder(pool).doorbell(false).build()) {
      Tenant own = rota.tenants().get(tenant.name());
      try (Connection only = pool.getConnection()) {
        only.setAutoCommit(false);
        int backend = only.unwrap(PGConnection.class).getBackendPID();
        fixture.execute("select pg_terminate_backend(" + backend + ", 10000)");
        assertThatExceptionOfType(DatabaseException.class)
            .isThrownBy(() -> own.enqueue(only, TASK))
            .withMessageContaining(tenant.name())
            .matches(DatabaseException::unavailable);
      }
    }
  }

  private static HikariDataSource poolOfOne() {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(fixture.database().jdbcUrl());
    config.setMaximumPoolSize(1);
    return new HikariDataSource(config);
  }

  private static List<NewTask> tasks(int number) {
    return IntStream.range(0, number).mapToObj(i -> TASK).toList();
  }

  private void assertPending(long expected) {
    assertThat(tenant.history().scanStates()).containsEntry(TaskState.PENDING, expected);
  }
}
