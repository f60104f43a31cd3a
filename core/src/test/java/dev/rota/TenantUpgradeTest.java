package dev.rota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests that tenants of an older version get the columns of this one, and keep their tasks. */
@RotaTest
@PostgresVersions(
    value = {15, 18},
    always = true)
@Tag("exhaustive")
class TenantUpgradeTest {

  private static final String COLUMNS =
      """
      select c.relname || '.' || a.attname from pg_attribute a join pg_class c on c.oid = a.attrelid
       where c.relnamespace = 'rota_1'::regnamespace and a.attnum > 0 and not a.attisdropped
         and a.attname in ('key', 'traits', 'lane') order by 1""";

  @Given private RotaFixture fixture;
  @Given private Tenant acme;

  @BeforeEach
  void open() throws SQLException {
    acme.enqueueAll(List.of(NewTask.of("k", "1"), NewTask.of("k", "2")));
    try (Batch batch = acme.claim(1)) {
      batch.settle();
    }
  }

  @Test
  void addsTheColumnsAndKeepsTheTasks() throws SQLException {
    List<String> columns = fixture.texts(COLUMNS);
    makeOutdated();
    assertThat(fixture.texts(COLUMNS)).isEmpty();

    fixture.rota().admin().migrate();

    assertThat(fixture.texts(COLUMNS)).isEqualTo(columns).hasSize(14);
    assertThat(acme.history().scanStates())
        .containsEntry(TaskState.PENDING, 1L)
        .containsEntry(TaskState.DONE, 1L);
    try (Batch batch = acme.claim(10)) {
      assertThat(batch.tasks()).extracting(Task::payload).containsExactly("2");
    }
  }

  @Test
  void addsTheFunctionThatEnqueuesAndTouchesNothingElse() throws SQLException {
    List<String> columns = fixture.texts(COLUMNS);
    fixture.execute("drop function rota_1.enqueue");
    try (Connection producer = fixture.database().connect();
        Statement statement = producer.createStatement()) {
      producer.setAutoCommit(false);
      statement.execute("lock table rota_1.task_init_1_0 in row exclusive mode");
      fixture.rota().admin().migrate();
      producer.rollback();
    }
    assertThat(fixture.texts("select rota_1.enqueue('k', '3')::text")).hasSize(1);
    assertThat(fixture.texts(COLUMNS)).isEqualTo(columns);
    assertThat(acme.history().scanStates()).containsEntry(TaskState.PENDING, 2L);
  }

  @Test
  void namesTheTenantWhoseTablesAreLocked() throws SQLException {
    makeOutdated();
    try (Connection connection = fixture.database().connect();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute("lock table rota_1.task_init_1_0 in access share mode");
      assertThatExceptionOfType(DatabaseException.class)
          .isThrownBy(() -> fixture.rota().admin().migrate())
          .withMessageContaining("tenant 'acme' (1)")
          .withMessageContaining("migrate again");
      connection.rollback();
    }
    fixture.rota().admin().migrate();
    assertThat(fixture.texts(COLUMNS)).hasSize(14);
  }

  /** As the tables of the first version were. */
  private void makeOutdated() throws SQLException {
    fixture.execute(
        """
        drop view rota_1.task_hist_1;
        drop view rota_1.task_init_1;
        alter table rota_1.task_init_1_0 drop column key, drop column traits;
        alter table rota_1.task_init_1_1 drop column key, drop column traits;
        alter table rota_1.task_init_1_2 drop column key, drop column traits;
        alter table rota_1.task_wait_1 drop column key, drop column traits, drop column lane;
        alter table rota_1.task_hist_1_1 drop column key, drop column traits, drop column lane""");
  }
}
