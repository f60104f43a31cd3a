package dev.rota.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rota.Batch;
import dev.rota.NewTask;
import dev.rota.RetryPolicy;
import dev.rota.Rota;
import dev.rota.RotaFixture;
import dev.rota.Task;
import dev.rota.TaskState;
import dev.rota.Tenant;
import dev.rota.Worker;
import dev.rota.assignment.Assignments;
import dev.rota.assignment.PairPool;
import dev.rota.assignment.WorkerPool;
import dev.rota.graph.TaskGraph;
import dev.rota.testing.Documents;
import dev.rota.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Tests that the SQL in docs/operations.md runs, and that its grants give each role exactly the
 * rights it needs.
 */
class OperationsTest {

  private static final String ROLES = "rota_(owner|worker|producer|reader|acme)";

  private TestDatabase database;

  @BeforeEach
  void grantAsTheDocumentSays() throws SQLException {
    database = TestDatabase.onVersion(15);
    database.execute(documented("sql owner"));
    database.execute(documented("sql roles"));
    database.execute(documented("sql defaults"));
    try (Rota rota = rota("owner")) {
      rota.admin().migrate();
      rota.tenants().register("acme");
    }
    execute("owner", documented("sql producer"));
  }

  @AfterEach
  void dropRoles() throws SQLException {
    // Those with default privileges first: the owner's fall with him.
    for (String name : List.of("worker", "producer", "reader", "owner")) {
      database.execute("drop owned by " + role(name) + " cascade");
      database.execute("drop role " + role(name));
    }
    database.close();
  }

  @Test
  @Tag("exhaustive")
  void showsTheCompiledExample() {
    assertThat(Documents.blocks("docs/operations.md", "java"))
        .contains(
            Documents.region("core/src/test/java/dev/rota/docs/OperationsExample.java", "status"));
  }

  @Test
  @Tag("exhaustive")
  void readerWatchesTheStatus() throws SQLException {
    database.execute(
        "insert into rota_1.task_init_1_0 (id, created_at, attempt, kind, payload)"
            + " values (1, now() - interval '1 hour', 0, 'k', 'p')");
    for (String role : List.of("reader", "worker")) {
      List<String> alarms = new ArrayList<>();
      try (Rota rota = rota(role)) {
        OperationsExample.watch(rota, alarms::add);
      }
      assertThat(alarms).containsExactly("no daemon leads", "acme has waited for 60 min");
    }
  }

  @Test
  void ownerRotates() throws SQLException {
    execute(
        "owner",
        "begin; lock table rota_1.task_init_1_1 in access exclusive mode;"
            + " truncate rota_1.task_init_1_1; update rota.tenant set lane_slots[0] = 1; commit");
    assertThat(value("owner", "select current_slot from rota.tenant")).isEqualTo("1");
  }

  @Test
  @Tag("exhaustive")
  void workerClaimsAndSettles() throws Exception {
    CountDownLatch ran = new CountDownLatch(2);
    try (Rota rota = rota("worker")) {
      Tenant acme = rota.tenants().get("acme");
      acme.enqueue(NewTask.of("ok", "{}"));
      acme.enqueue(NewTask.of("broken", "{}"));
      try (Worker worker =
          rota.worker()
              .handle("ok", task -> ran.countDown())
              .handle(
                  "broken",
                  task -> {
                    ran.countDown();
                    throw new IllegalStateException("broken");
                  })
              .retry(RetryPolicy.exponential(2, Duration.ofHours(1), Duration.ofHours(1)))
              .start()) {
        assertThat(ran.await(30, TimeUnit.SECONDS)).isTrue();
        worker.close();
      }
      assertThat(acme.history().scanStates())
          .containsEntry(TaskState.DONE, 1L)
          .containsEntry(TaskState.FAILED, 1L)
          .containsEntry(TaskState.WAITING, 1L);
      assertThat(rota.tenants().register("other").enqueue(NewTask.of("ok", "{}"))).isPositive();
    }
    assertDenied("worker", "truncate rota_1.task_init_1_1");
    assertDenied("worker", "drop table rota_1.task_hist_1_1");
    assertDenied("worker", "drop table rota_2.task_hist_2_1");
  }

  @Test
  @Tag("exhaustive")
  void workerEnqueuesAndRunsGraphsOnceTheOwnerHasMadeTheirTables() throws SQLException {
    TaskGraph.Builder builder = TaskGraph.builder();
    TaskGraph.Node parent = builder.add(NewTask.of("parent", "{}"));
    builder.add(NewTask.of("child", "{}")).dependsOn(parent);
    TaskGraph graph = builder.build();
    try (Rota owners = rota("owner");
        Rota rota = rota("worker")) {
      Tenant acme = rota.tenants().get("acme");
      assertThatThrownBy(() -> acme.graphs().enqueue(graph))
          .hasMessageContaining("make the tables for graphs of tenant 'acme' (1)")
          .hasMessageContaining("denied");
      long first = owners.tenants().get("acme").graphs().enqueue(graph).taskId(parent);
      TaskGraph.Builder later = TaskGraph.builder();
      later.add(NewTask.of("later", "{}")).dependsOnTasks(first);
      long id = acme.graphs().enqueue(later.build()).id();
      try (Batch batch = acme.claim(10)) {
        batch.dead(batch.tasks().get(0), "broken");
        batch.settle();
      }
      assertThat(acme.graphs().cancel(id, "not wanted")).isZero();
      assertThat(acme.graphs().find(id).orElseThrow().isFinished()).isTrue();
    }
  }

  @Test
  @Tag("exhaustive")
  void workerAssignsOnceTheOwnerHasOpenedAPool() throws SQLException {
    try (Rota owners = rota("owner");
        Rota rota = rota("worker")) {
      Assignments pools = rota.tenants().get("acme").assignments();
      assertThatThrownBy(() -> pools.pairs("crews"))
          .hasMessageContaining("make assignment pool 'crews' of tenant 'acme' (1)")
          .hasMessageContaining("denied");
      owners.tenants().get("acme").assignments().pairs("crews");
      PairPool crews = pools.pairs("crews");
      assertThat(crews.release(crews.assign(1, 2).made().orElseThrow())).isTrue();
      WorkerPool crawlers = pools.workers("crawlers");
      assertThat(crawlers.add(List.of(1L))).isOne();
      assertThat(crawlers.assign(7).made()).isPresent();
    }
    assertDenied("worker", "drop table rota_1.task_assignment_1");
    assertDenied("producer", "select task from rota_1.task_assignment_1");
  }

  @Test
  @Tag("exhaustive")
  void producersUseALaneOnceTheOwnerHasMadeIt() throws SQLException {
    try (Rota owners = rota("owner");
        Rota rota = rota("producer")) {
      Tenant acme = rota.tenants().get("acme");
      NewTask urgent = NewTask.of("ok", "{}").priority(7);
      assertThatThrownBy(() -> acme.enqueue(urgent))
          .hasMessageContaining("make the lane of priority 7 of tenant 'acme' (1)")
          .hasMessageContaining("rota tenant lane NAME --priority 7")
          .hasMessageContaining("denied");
      owners.tenants().get("acme").addLane(7);
      try (Rota later = rota("producer")) {
        later.tenants().get("acme").enqueue(urgent);
        later.tenants().get("acme").enqueue(urgent.after(Duration.ofHours(1)));
      }
      execute("producer", "select rota.enqueue('acme', 'ok', '{}', null, 7)");
      try (Rota workers = rota("worker");
          Batch batch = workers.tenants().get("acme").claim(10)) {
        assertThat(batch.tasks()).extracting(Task::priority).containsExactly(7, 7);
        batch.settle();
      }
    }
  }

  @Test
  @Tag("exhaustive")
  void producerOnlyEnqueues() throws SQLException {
    try (Rota rota = rota("producer")) {
      Tenant acme = rota.tenants().get("acme");
      acme.enqueue(NewTask.of("ok", "{}"));
      acme.enqueue(NewTask.of("ok", "{}").after(Duration.ofHours(1)));
      try (Connection connection = source("producer").getConnection()) {
        acme.enqueue(connection, NewTask.of("ok", "{}"));
      }
      assertThatThrownBy(() -> acme.claim(1)).hasMessageContaining("denied");
    }
    assertThat(value("producer", "select rota.enqueue('acme', 'ok', '{}')")).isNotNull();
    assertThat(value("producer", "select rota.enqueue('acme', 'ok', '{}', now())")).isNotNull();
    String withHeaders = "select rota.enqueue_with_headers('acme', 'ok', '{}', '{\"a\": \"b\"}')";
    assertThat(value("producer", withHeaders)).isNotNull();
    assertDenied("producer", "select payload from rota_1.task_init_1_0");
    assertDenied("producer", "insert into rota_1.task_hist_1_1 (id) values (1)");
    assertThat(value("reader", "select count(*) from rota_1.task_init_1")).isEqualTo("6");
  }

  @Test
  void readerOnlyReads() throws SQLException {
    assertThat(value("reader", "select count(*) from rota_1.task_hist_1")).isEqualTo("0");
    assertThat(value("reader", "select count(*) from rota.task_batch")).isEqualTo("0");
    assertDenied("reader", "delete from rota.tenant");
    assertDenied("reader", "insert into rota_1.task_init_1_0 (id) values (1)");
  }

  @Test
  @Tag("exhaustive")
  void schemasThatExistGetTheSameGrants() throws SQLException {
    String worker = role("worker");
    database.execute(
        "revoke all on all tables in schema rota, rota_1 from "
            + worker
            + ";"
            + " revoke all on all sequences in schema rota from "
            + worker
            + ";"
            + " revoke all on schema rota, rota_1 from "
            + worker);
    assertDenied("worker", "select from rota.tenant");

    database.execute(documented("sql existing"));

    try (Rota rota = rota("worker")) {
      Tenant acme = rota.tenants().get("acme");
      acme.enqueue(NewTask.of("ok", "{}"));
      try (Batch batch = acme.claim(1)) {
        assertThat(batch.settle().settled()).isEqualTo(1);
      }
    }
  }

  @Test
  void monitoringNeedsOnlyTheReader() throws SQLException {
    execute("reader", ofTenantOne(documented("sql monitoring")));
  }

  @Test
  @Tag("exhaustive")
  void tenantIsGoneAfterItsRemoval() throws SQLException {
    execute("owner", ofTenantOne(documented("sql removal")));
    try (Rota rota = rota("owner")) {
      assertThat(rota.tenants().find("acme")).isEmpty();
      assertThat(rota.tenants().register("acme").number()).isEqualTo(2);
    }
  }

  @Test
  @Tag("exhaustive")
  void slotsAreMadeWideBeforeALargePayload() throws SQLException {
    String large =
        "insert into rota_1.task_init_1_0 (kind, payload) values ('ok', repeat('x', 9000))";
    assertThatThrownBy(() -> execute("owner", large)).hasMessageContaining("row is too big");
    execute("owner", ofTenantOne(documented("sql wide")));
    execute("owner", large);
  }

  @Test
  @Tag("exhaustive")
  void producerOfOneTenantEnqueuesForItAlone() throws SQLException {
    try (Rota rota = rota("owner")) {
      Tenant unused = RotaFixture.tenant(rota, "other");
      database.execute(documented("sql tenant"));
      execute("acme", "select rota_1.enqueue('ok', '{}')");
      assertDenied("acme", "select rota_2.enqueue('ok', '{}')");
      assertDenied("acme", "select * from rota.tenant");
      assertDenied("acme", "insert into rota_1.task_init_1_0 (id) values (1)");
      assertThat(rota.tenants().get("acme").history().scanStates())
          .containsEntry(TaskState.PENDING, 1L);
    } finally {
      database.execute("drop owned by %1$s; drop role %1$s".formatted(role("acme")));
    }
  }

  private static String ofTenantOne(String sql) {
    return sql.replace("_7", "_1").replace("number = 7", "number = 1");
  }

  private String documented(String words) {
    String sql = String.join("\n", Documents.blocks("docs/operations.md", words));
    assertThat(sql).as("blocks '%s'", words).isNotBlank();
    return sql.replace("database app ", "database " + database.name() + " ")
        .replaceAll("\\b" + ROLES + "\\b", "$0_" + database.name());
  }

  private String role(String name) {
    return "rota_" + name + "_" + database.name();
  }

  private PGSimpleDataSource source(String role) {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(database.jdbcUrl());
    source.setUser(role(role));
    return source;
  }

  private Rota rota(String role) {
    return Rota.builder(source(role)).build();
  }

  private void execute(String role, String sql) throws SQLException {
    try (Connection connection = source(role).getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private String value(String role, String query) throws SQLException {
    try (Connection connection = source(role).getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getString(1);
    }
  }

  private void assertDenied(String role, String sql) {
    assertThatThrownBy(() -> execute(role, sql))
        .isInstanceOf(SQLException.class)
        .hasMessageMatching("(?s).*(permission denied|must be owner).*");
  }
}
