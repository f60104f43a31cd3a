package dev.rota.crash.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rota.Batch;
import dev.rota.DatabaseException;
import dev.rota.NewTask;
import dev.rota.Rota;
import dev.rota.Task;
import dev.rota.Tenant;
import dev.rota.graph.TaskGraph;
import dev.rota.processes.MigratedDatabase;
import dev.rota.testing.TestDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Tests that a cancel that hits a BEGIN rolls back everything that travels with it. The crash
 * points break the BEGIN of every transaction.
 */
class BrokenBeginTest {

  private static final NewTask TASK = NewTask.of("k", "{}");

  /** The driver prepares what it sees for the fifth time. */
  private static final int ROUNDS = 8;

  private TestDatabase database;
  private FaultProxy proxy;
  private Rota rota;
  private Tenant tenant;

  @BeforeEach
  void open() throws Exception {
    database = MigratedDatabase.create();
    proxy = FaultProxy.to(((PGSimpleDataSource) database.dataSource()).getPortNumbers()[0]);
    rota = Rota.builder(proxy.through(database.jdbcUrl())).doorbell(false).build();
    tenant = rota.tenants().register("acme");
    tenant.enqueue(TASK);
    try (Batch batch = tenant.claim(1)) {
      batch.settle();
    }
  }

  @AfterEach
  void close() throws Exception {
    rota.close();
    proxy.close();
    database.close();
  }

  @Test
  void nothingIsStoredInATransactionOfTheCallerThatDidNotBegin() throws Exception {
    TaskGraph graph = graph();
    tenant.graphs().enqueue(graph);
    long before = stored();
    try (Connection connection = DriverManager.getConnection(proxy.through(database.jdbcUrl()))) {
      connection.setAutoCommit(false);
      for (int i = 0; i < ROUNDS; i++) {
        assertRefused(connection, () -> tenant.enqueue(connection, TASK));
        assertRefused(connection, () -> tenant.enqueueAll(connection, List.of(TASK, TASK)));
        assertRefused(connection, () -> tenant.graphs().enqueue(connection, graph));
      }
      connection.rollback();
      assertThat(stored()).isEqualTo(before);
      tenant.enqueue(connection, TASK);
      connection.commit();
    }
    assertThat(stored()).isEqualTo(before + 1);
    assertThat(proxy.brokenBegins()).isEqualTo(3L * ROUNDS);
  }

  private void assertRefused(Connection connection, ThrowingCallable call) throws SQLException {
    proxy.breakNextBeginOf(connection.unwrap(PGConnection.class).getBackendPID());
    assertThatThrownBy(call).isInstanceOf(DatabaseException.class).hasMessageContaining("cancel");
    connection.rollback();
  }

  /** What it wrote would be there without a lease, and again after the next try. */
  @Test
  @Tag("exhaustive")
  void aTaskThatFailsRunsAgainThoughItsSettleDidNotBegin() throws Exception {
    for (int i = 0; i < ROUNDS; i++) {
      tenant.enqueue(TASK);
      try (Batch batch = tenant.claim(10)) {
        for (Task task : batch) {
          batch.fail(task, new IllegalStateException("at attempt " + task.attempt()));
        }
        proxy.breakBegins(process -> true);
        assertThatThrownBy(batch::settle).isInstanceOf(DatabaseException.class);
        proxy.breakBegins(process -> false);
        batch.settle();
      }
    }
    assertThat(database.number("select count(*) from rota_1.task_wait_1")).isEqualTo(ROUNDS);
  }

  private static TaskGraph graph() {
    TaskGraph.Builder builder = TaskGraph.builder();
    builder.add(TASK);
    return builder.build();
  }

  private long stored() throws SQLException {
    return database.number("select count(*) from rota_1.task_init_1");
  }
}
